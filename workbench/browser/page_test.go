//go:build browser

// Package browser_test plays the workbench in a real Chromium: whole flows, by mouse and by keyboard alone, and
// every screen in both themes under axe-core. The script run beside it gets what it needs.
package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"tbridge"
	"tbridge/bridge"
	"tbridge/demo"
	"tbridge/workbench"
	"tbridge/workbench/ui"
)

const patience = 30 * time.Second // for what has to appear

var browser context.Context

func TestMain(m *testing.M) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {})) // what it does not know of newer browsers
	browser = ctx
	code := 1
	if err := chromedp.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "Chromium does not start; install it (apt-get install chromium):", err)
	} else {
		code = m.Run()
	}
	cancel()
	stop()
	os.Exit(code)
}

// A site is a bridge directory of its own under a workbench.
type site struct {
	t       *testing.T
	dir     string // with tbridge.yaml
	bench   *workbench.Workbench
	server  *httptest.Server
	tracker *demo.Server
	token   string
}

// newSite makes a site of the shipped directory, changed by files (paths below it). Calls go to the demo's tracker.
func newSite(t *testing.T, files map[string]string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), token: workbench.NewToken()}
	if err := os.CopyFS(s.dir, tbridge.Catalogue); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		s.write(name, text)
	}
	tracker, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"TRACKER_URL": tracker.URL, "TRACKER_TOKEN": tracker.Token}
	w, err := workbench.New(workbench.Options{Config: filepath.Join(s.dir, "tbridge.yaml"), Token: s.token, State: t.TempDir(), Page: ui.Files,
		Bridge: bridge.Options{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}})
	if err != nil {
		t.Fatal(err)
	}
	s.bench, s.tracker = w, tracker
	s.serve("127.0.0.1:0")
	t.Cleanup(func() {
		s.server.CloseClientConnections()
		s.server.Close()
		_ = tracker.Close()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// serve serves the site at an address.
func (s *site) serve(address string) {
	s.t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.bench}} //nolint:gosec // of a test
	s.server.Start()
}

func (s *site) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// A tab shows a site; its storage is its own because the port of its site is. When it ends, whatever it complained about fails the test.
type tab struct {
	t   *testing.T
	ctx context.Context

	alone atomic.Bool // the server has ended, as it was meant to

	mu     sync.Mutex
	faults []string
}

// look is how a page is looked at.
type look struct {
	width, height int64
	theme         string
}

var desk = look{1400, 900, "light"}

// open opens the site. Statuses the API answers with by contract, 4xx, are no faults.
func (s *site) open(l look) *tab {
	s.t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	p := &tab{t: s.t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) { p.heard(event, s.server.URL) })
	s.t.Cleanup(func() {
		cancel()
		stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, fault := range p.faults {
			s.t.Error(fault)
		}
	})
	p.do(cdplog.Enable(), network.Enable(), runtime.Enable(), chromedp.EmulateViewport(l.width, l.height),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.theme}}),
		chromedp.Navigate(s.server.URL+"/#token="+s.token))
	p.until(`$(".form h2, .list .empty")`)
	return p
}

func (p *tab) heard(event any, origin string) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			fault += fmt.Sprintf("console: %s%s", a.Value, a.Description)
		}
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Error()
	case *cdplog.EventEntryAdded:
		if !strings.Contains(e.Entry.Text, "status of 4") && !(p.alone.Load() && strings.Contains(e.Entry.Text, "net::ERR_")) {
			fault = fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" && u.Scheme+"://"+u.Host != origin {
			fault = "request to another origin: " + e.Request.URL
		}
	}
	if fault != "" {
		p.mu.Lock()
		p.faults = append(p.faults, fault)
		p.mu.Unlock()
	}
}

func (p *tab) do(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// helpers are what the scripts of the tests say things with.
const helpers = `
const $ = (q) => document.querySelector(q);
const $$ = (q) => [...document.querySelectorAll(q)];
const named = (e) => (e.getAttribute("aria-label") || "") + " " + e.textContent;
const by = (text, q = "button") => $$(q).find((e) => named(e).includes(text) && e.checkVisibility());
const click = (text, q) => { const e = by(text, q); if (!e) throw new Error("there is no " + text); e.click(); };
const put = (q, value) => {
  const e = typeof q === "string" ? $(q) : q;
  if (!e) throw new Error("there is no " + q);
  e.focus();
  Object.getOwnPropertyDescriptor(e.constructor.prototype, "value").set.call(e, value);
  e.dispatchEvent(new Event(e.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
};
const field = (key) => { const e = $('[data-key="' + key + '"]'); return e && (e.matches("input,select,textarea") ? e : e.querySelector("input,select,textarea")); };
const yaml = () => $$("#part-yaml .cm-line").map((l) => l.textContent).join("\n");
const panel = (name) => click(name, "#part-panel [role=tab]");
`

// run runs a script in the page. It may await.
func (p *tab) run(script string) {
	p.t.Helper()
	p.eval("(async () => {"+helpers+script+"})()", nil)
}

func (p *tab) eval(expression string, result any) {
	p.t.Helper()
	await := func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }
	if err := chromedp.Run(p.ctx, chromedp.Evaluate(expression, result, await)); err != nil {
		p.t.Fatalf("%s: %v", expression[max(0, len(expression)-200):], err)
	}
}

// until waits for an expression to be true.
func (p *tab) until(expression string) {
	p.t.Helper()
	script := fmt.Sprintf(`(async () => {%s
const end = Date.now() + %d;
for (;;) {
  if (%s) return "";
  if (Date.now() > end) return ($$(".message.error").map((m) => m.innerText).join("; ") + "\n" + document.activeElement.outerHTML.slice(0, 200) + document.activeElement.value + "\n" + $(".notices")?.innerText + "\n" + ($("dialog")?.innerText ?? "") + "\n" + $("main")?.innerText).slice(0, 700);
  await new Promise((done) => setTimeout(done, 30));
}})()`, helpers, patience.Milliseconds(), expression)
	var shown string
	p.eval(script, &shown)
	if shown != "" {
		p.t.Fatalf("%s does not come; the page shows:\n%s", expression, shown)
	}
}

func (p *tab) text(expression string) string {
	p.t.Helper()
	var text string
	p.eval("(async () => {"+helpers+"return String("+expression+")})()", &text)
	return text
}

// openTool opens a tool by the list.
func (p *tab) openTool(name string) {
	p.t.Helper()
	p.run(`by("Tools", ".views [role=tab]")?.click()`)
	p.until(fmt.Sprintf(`by(%q, "#tools .tool")`, name))
	p.run(fmt.Sprintf(`click(%q, "#tools .tool")`, name))
	p.until(fmt.Sprintf(`$(".form h2")?.textContent === %q`, name))
}

// changed gives the lines that differ between two texts, with - and +, where no line moves.
func changed(before, after string) (lines []string) {
	had, has := count(before), count(after)
	for line := range strings.Lines(before) {
		if had[line] > has[line] {
			lines = append(lines, "-"+strings.TrimSuffix(line, "\n"))
			had[line]--
		}
	}
	had = count(before)
	for line := range strings.Lines(after) {
		if has[line] > had[line] {
			lines = append(lines, "+"+strings.TrimSuffix(line, "\n"))
			has[line]--
		}
	}
	return lines
}

func count(text string) map[string]int {
	n := map[string]int{}
	for line := range strings.Lines(text) {
		n[line]++
	}
	return n
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		t.Errorf("%s is\n%s\nand should be\n%s", what, g, w)
	}
}
