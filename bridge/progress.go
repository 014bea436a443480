package bridge

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	progressStart = 250 * time.Millisecond // after which a call counts as long
	progressPause = time.Second            // between two signs of life
)

// reportProgress tells of a call that it lasts, until the function it gives is called. The progress is the seconds
// it has lasted, as nothing is known of what the API does.
func reportProgress(tell func(seconds float64)) (stop func()) {
	quit := make(chan struct{})
	began := time.Now()
	var running sync.WaitGroup
	running.Go(func() {
		timer := time.NewTimer(progressStart)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
				tell(time.Since(began).Seconds())
				timer.Reset(progressPause)
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		running.Wait()
	}
}

// progressOf reports the progress of a request whose client asked for it.
func progressOf(ctx context.Context, req *mcp.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	return reportProgress(func(seconds float64) {
		// A client that cannot be told has lost nothing but the news.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: seconds, Message: "waiting for the API"})
	})
}
