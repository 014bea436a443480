// Package bench measures tbridge against programs that do the same by hand, in
// the same run and against the same upstream. It asserts that the answers are
// right, never how long they took.
//
//	go test ./bench -bench . -benchtime 2s
package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A program is one MCP server over stdio, being measured.
type program struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	next  int
	calls int
	wall  time.Duration
	cpu   time.Duration
}

// start runs a server and greets it.
func start(b *testing.B, env []string, name string, args ...string) *program {
	b.Helper()
	p := &program{cmd: exec.Command(name, args...)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		p.in.Close()
		if err := p.cmd.Wait(); err != nil {
			b.Errorf("%s: %v", name, err)
		}
	})
	p.write(b, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	p.read(b)
	p.write(b, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func (p *program) write(b *testing.B, line string) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		b.Fatal(err)
	}
}

func (p *program) read(b *testing.B) []byte {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		b.Fatal(err)
	}
	return line
}

// run makes n calls, keeping so many of them in flight, and counts the time and the processor time they took.
func (p *program) run(b *testing.B, n, inFlight, size int) {
	b.Helper()
	began, cpu := time.Now(), p.processor(b)
	send := func() {
		p.next++
		p.write(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"item","arguments":{"id":"TE-%d"}}}`, p.next, p.next))
	}
	sent := 0
	for ; sent < min(inFlight, n); sent++ {
		send()
	}
	for range n {
		line := p.read(b)
		if len(line) < size || bytes.Contains(line, []byte(`"isError":true`)) {
			b.Fatalf("a wrong answer: %.300s", line)
		}
		if sent < n {
			send()
			sent++
		}
	}
	p.calls += n
	p.wall += time.Since(began)
	p.cpu += p.processor(b) - cpu
}

// processor is the processor time the program has used. The unit of /proc is 1/100 s.
func (p *program) processor(b *testing.B) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+2:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func (p *program) perSecond() float64 { return float64(p.calls) / p.wall.Seconds() }
func (p *program) perCall() float64   { return float64(p.cpu.Microseconds()) / float64(p.calls) }

// build compiles a command of this module into a folder of the benchmark's.
func build(b *testing.B, dir, pkg string) string {
	b.Helper()
	bin := filepath.Join(dir, filepath.Base(pkg))
	if out, err := exec.Command("go", "build", "-o", bin, pkg).CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// item is a JSON object of so many bytes.
func item(size int) []byte {
	var rows []string
	for i := 0; len(rows)*100 < size-100; i++ {
		rows = append(rows, fmt.Sprintf(`{"key":"TE-%04d","title":"A task of the board","status":"in_progress","points":%5d,"open":true,"n":1}`, i, i))
	}
	body := fmt.Sprintf(`{"key":"TE-15","title":"Задача","owner":"coder","rows":[%s],"rest":"`, strings.Join(rows, ","))
	if pad := size - len(body) - 2; pad > 0 {
		body += strings.Repeat("x", pad)
	}
	return []byte(body + `"}`)
}

// upstream answers every request with the same item.
func upstream(b *testing.B, size int) *httptest.Server {
	body := item(size)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	b.Cleanup(s.Close)
	return s
}

// directory writes a bridge directory whose one tool is the peer's.
func directory(b *testing.B, url string) string {
	dir := b.TempDir()
	files := map[string]string{
		"tbridge.yaml": "version: 1\napis:\n  board: {base_url: \"" + url + "\"}\n",
		"tools.d/item.yaml": "api: board\ntools:\n  - {name: item, description: Read an item., method: GET, path: \"/items/{id}\",\n" +
			"     arguments: [{name: id, type: string, description: Id of the item}]}\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return filepath.Join(dir, "tbridge.yaml")
}

// BenchmarkStdio calls tbridge and the peer in turn, a slice of calls each, so that both meet the same noise.
func BenchmarkStdio(b *testing.B) {
	dir := b.TempDir()
	bridge, peer := build(b, dir, "tbridge/cmd/tbridge"), build(b, dir, "tbridge/bench/peer")
	for _, gogc := range []int{100, 400} {
		for _, size := range []int{400, 64 << 10} {
			for _, inFlight := range []int{1, 16} {
				b.Run(fmt.Sprintf("gogc=%d/bytes=%d/inflight=%d", gogc, size, inFlight), func(b *testing.B) {
					s := upstream(b, size)
					env := []string{fmt.Sprintf("GOGC=%d", gogc), "UPSTREAM=" + s.URL}
					ours := start(b, env, bridge, "serve", "--config", directory(b, s.URL), "--log-level", "error")
					theirs := start(b, env, peer)
					compare(b, ours, theirs, inFlight, size)
				})
			}
		}
	}
}

func compare(b *testing.B, ours, theirs *program, inFlight, size int) {
	const slice = 250
	for _, p := range []*program{ours, theirs} {
		p.run(b, slice, inFlight, size)
		p.calls, p.wall, p.cpu = 0, 0, 0
	}
	b.ResetTimer()
	for left := b.N; left > 0; left -= slice {
		ours.run(b, min(slice, left), inFlight, size)
		theirs.run(b, min(slice, left), inFlight, size)
	}
	report(b, ours, theirs)
}

func report(b *testing.B, ours, theirs *program) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours.perSecond(), "calls/s")
	b.ReportMetric(theirs.perSecond(), "peer-calls/s")
	b.ReportMetric(ours.perSecond()/theirs.perSecond(), "x-calls/s")
	b.ReportMetric(ours.perCall(), "cpu-µs/call")
	b.ReportMetric(theirs.perCall(), "peer-cpu-µs/call")
	if theirs.cpu > 0 {
		b.ReportMetric(ours.perCall()/theirs.perCall(), "x-cpu")
	}
}
