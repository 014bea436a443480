package bridge

import (
	"encoding/json"
	"net/http"
	"slices"
)

// A Health is how a bridge is, as /healthz tells it.
type Health struct {
	Status string   `json:"status"`          // ok, degraded, or draining
	Files  []string `json:"files,omitempty"` // tools files whose latest version is faulty and not served
}

// Degraded takes note of the tools files whose latest version is not served, none when all is well again. It
// counts as a failed reload unless nothing is wrong.
func (b *Bridge) Degraded(files ...string) {
	b.faulty.Store(&files)
	if len(files) > 0 {
		b.metrics.failed()
	}
}

// ReloadFailed takes note of a change that could not be served at all.
func (b *Bridge) ReloadFailed() { b.metrics.failed() }

func (b *Bridge) health() Health {
	files := b.faulty.Load()
	if files == nil || len(*files) == 0 {
		return Health{Status: "ok"}
	}
	return Health{Status: "degraded", Files: slices.Clone(*files)}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
