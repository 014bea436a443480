package bench

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A site is one MCP server over HTTP, being measured.
type site struct {
	program
	url      string
	revision string
	session  string
	client   *http.Client

	objects, bytes float64 // allocated before what is measured
}

// startSite runs a server at an address and, in the revisions that have one, opens a session.
func startSite(b *testing.B, revision, address string, env []string, name string, args ...string) *site {
	b.Helper()
	s := &site{program: program{cmd: exec.Command(name, args...)}, revision: revision, url: "http://" + address + "/mcp",
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	s.cmd.Env = append(os.Environ(), env...)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.client.CloseIdleConnections()
	})
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			break
		} else if time.Since(began) > time.Minute {
			b.Fatal(err)
		}
	}
	if revision < "2026" {
		s.post(b, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
		s.post(b, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return s
}

// freeAddress is one that nobody listens on.
func freeAddress(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *site) post(b *testing.B, message string) []byte {
	req, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(message))
	if err != nil {
		b.Error(err)
		return nil
	}
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if s.session != "" {
		h.Set("Mcp-Session-Id", s.session)
	}
	if s.session != "" || s.revision >= "2026" {
		h.Set("Mcp-Protocol-Version", s.revision)
		h.Set("Mcp-Method", "tools/call")
		h.Set("Mcp-Name", "item")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		b.Error(err)
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		b.Errorf("%s: %v %.300s", resp.Status, err, body)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" && s.session == "" {
		s.session = id
	}
	return body
}

// allocated is how many objects and bytes the server has allocated since its start.
func (s *site) allocated(b *testing.B) (objects, bytes float64) {
	resp, err := s.client.Get(strings.TrimSuffix(s.url, "/mcp") + "/metrics")
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "go_memstats_mallocs_total "); ok {
			fmt.Sscan(n, &objects)
		} else if n, ok := strings.CutPrefix(line, "go_memstats_alloc_bytes_total "); ok {
			fmt.Sscan(n, &bytes)
		}
	}
	if objects == 0 || bytes == 0 {
		b.Fatalf("no memory in the metrics: %.300s", text)
	}
	return objects, bytes
}

// run makes n calls, so many of them at a time.
func (s *site) run(b *testing.B, n, inFlight, size int) {
	b.Helper()
	meta := ""
	if s.revision >= "2026" {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + s.revision + `","io.modelcontextprotocol/clientCapabilities":{}}`
	}
	began, cpu := time.Now(), s.processor(b)
	var next atomic.Int64
	var calling sync.WaitGroup
	for range inFlight {
		calling.Go(func() {
			for i := next.Add(1); i <= int64(n) && !b.Failed(); i = next.Add(1) {
				body := s.post(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"item","arguments":{"id":"TE-%d"}%s}}`, i, i, meta))
				if len(body) < size || bytes.Contains(body, []byte(`"isError":true`)) {
					b.Errorf("a wrong answer: %.300s", body)
				}
			}
		})
	}
	calling.Wait()
	s.calls += n
	s.wall += time.Since(began)
	s.cpu += s.processor(b) - cpu
}

// BenchmarkHTTP calls tbridge and the peer in turn, as BenchmarkStdio does.
func BenchmarkHTTP(b *testing.B) {
	dir := b.TempDir()
	bridge, peer := build(b, dir, "tbridge/cmd/tbridge"), build(b, dir, "tbridge/bench/peer")
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		for _, size := range []int{400, 64 << 10} {
			b.Run(fmt.Sprintf("revision=%s/bytes=%d/inflight=16", revision, size), func(b *testing.B) {
				s := upstream(b, size)
				here, there := freeAddress(b), freeAddress(b)
				env := []string{"GOGC=400", "UPSTREAM=" + s.URL, "ADDRESS=" + there}
				ours := startSite(b, revision, here, env, bridge, "serve", "--config", directory(b, s.URL), "--log-level", "error", "--http", here)
				theirs := startSite(b, revision, there, env, peer)
				const slice = 250
				for _, p := range []*site{ours, theirs} {
					p.run(b, slice, 16, size)
					p.calls, p.wall, p.cpu = 0, 0, 0
					p.objects, p.bytes = p.allocated(b)
				}
				b.ResetTimer()
				for left := b.N; left > 0; left -= slice {
					ours.run(b, min(slice, left), 16, size)
					theirs.run(b, min(slice, left), 16, size)
				}
				report(b, &ours.program, &theirs.program)
				for name, p := range map[string]*site{"": ours, "peer-": theirs} {
					objects, bytes := p.allocated(b)
					b.ReportMetric((objects-p.objects)/float64(p.calls), name+"allocs/call")
					b.ReportMetric((bytes-p.bytes)/float64(p.calls), name+"B/call")
				}
			})
		}
	}
}
