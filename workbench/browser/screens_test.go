//go:build browser

package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// screens are the screens of the page: the tool that is open, the part that a narrow window shows, how the screen comes to
// be, and what says that it is there. They follow each other on one site; those that save stand last.
var screens = []struct{ name, tool, view, script, there string }{
	{"form", "files.yaml/upload_file", "Form", `$$(".section").forEach((d) => (d.open = true))`, `$(".snippet .cm-content")`},
	{"arguments", "files.yaml/upload_file", "Form", `click("Details of content")`, `$(".details")`},
	{"nested", "every.yaml/every_type", "Form", `field("arguments.5.name").scrollIntoView()`, `$$(".details").length > 2`},
	{"open", "every.yaml/whatever", "Form", ``, `$(".open-arguments")`},
	{"list", "tasks.yaml/take_task", "Tools", ``, `$("#tools .tool")`},
	{"search", "tasks.yaml/take_task", "Tools", `put("#search", "task")`, `$$("#tools .tool").length > 3`},
	{"nothing", "tasks.yaml/take_task", "Tools", `put("#search", "quite another")`, `$(".list .empty")`},
	{"yaml", "tasks.yaml/take_task", "YAML", ``, `$("#part-yaml .cm-line")`},
	{"completion", "tasks.yaml/take_task", "YAML", `await complete("title:", "re")`, `$(".cm-tooltip-autocomplete")`},
	{"find", "tasks.yaml/take_task", "YAML", `$("#part-yaml .cm-content").focus(); await press("f", { ctrlKey: true }); await until(() => $(".cm-search")); put(".cm-search input", "task"); await until(() => $$(".cm-foldGutter span").length > 1); $$(".cm-foldGutter span")[1].click()`, `$(".cm-search")`},
	{"problems", "files.yaml/upload_file", "Details", `panel("Problems")`, `$(".problems li")`},
	{"error", "files.yaml/upload_file", "Form", `put(field("path"), "/messages/{mesage_id}/files")`, `$('[data-key="path"] .message')`},
	{"error-yaml", "files.yaml/upload_file", "YAML", `put(field("path"), "/messages/{mesage_id}/files"); await until(() => $(".cm-lintRange-error"))`, `$(".cm-lint-marker-error")`},
	{"message", "files.yaml/upload_file", "YAML", `put(field("path"), "/messages/{mesage_id}/files"); await until(() => $(".cm-lintRange-error")); $("#part-yaml .cm-content").focus(); await press("F8")`, `$(".cm-lint-marker-error")`},
	{"broken", "every.yaml/whatever", "Form", `by("YAML", ".views [role=tab]")?.click(); await sleep(100); await typed("tools: ["); by("Form", ".views [role=tab]")?.click()`, `$(".form-part .message.error, .form-part .empty")`},
	{"model", "tasks.yaml/create_task", "Details", `panel("Model")`, `$(".model .json")`},
	{"try-unfilled", "tasks.yaml/take_task", "Details", `panel("Try it")`, `$(".try")`},
	{"try", "tasks.yaml/list_tasks", "Details", `panel("Try it")`, `$(".try .http")`},
	{"try-types", "every.yaml/every_type", "Details", `panel("Try it"); await until(() => by("send where")); click("send where"); click("send stops"); click("Add an element")`, `$("#try-stops\\[0\\]\\.place, .try .nested")`},
	{"result", "tasks.yaml/list_tasks", "Details", `await tryIt({}); await until(() => $(".answer .text")); $$(".answer details").forEach((d) => (d.open = true))`, `$(".answer .text")`},
	{"failure", "tasks.yaml/get_task", "Details", `await tryIt({task_id: "TE-1500"})`, `$(".answer .failed")`},
	{"refused", "tasks.yaml/list_tasks", "Details", `await tryIt({status: "nothing"})`, `$(".try .message.error")`},
	{"confirm", "tasks.yaml/take_task", "Details", `await tryIt({task_id: "TE-15", agent_slug: "coder"})`, `$("dialog .http")`},
	{"tests", "tasks.yaml/take_task", "Details", `panel("Tests")`, `$(".tests li")`},
	{"tests-failed", "every.yaml/every_type", "Details", `panel("Tests")`, `$(".tests .failed")`},
	{"tests-none", "every.yaml/whatever", "Details", `panel("Tests")`, `$("#panel h3")?.textContent === "No tests"`},
	{"history-none", "tasks.yaml/take_task", "Details", `panel("History")`, `$("#panel .empty")`},
	{"export", "tasks.yaml/take_task", "Details", `panel("Export")`, `$("#panel .json")`},
	{"palette", "tasks.yaml/take_task", "", `click("Find")`, `$("#commands li")`},
	{"keys", "tasks.yaml/take_task", "", `click("Keys")`, `$("dialog .keys")`},
	{"add", "tasks.yaml/take_task", "Tools", `click("Add a tool")`, `$("dialog .templates")`},
	{"curl", "tasks.yaml/take_task", "Tools", `await fromCurl()`, `$("#curl")`},
	{"curl-notes", "tasks.yaml/take_task", "Tools", `await fromCurl("curl -X POST https://api.example/v1/tasks -H 'Authorization: Bearer s3cr3t-t0k3n-value' -d '{\"title\":\"x\"}'"); click("Add", "dialog .primary")`, `$("dialog .notes")`},
	{"delete", "tasks.yaml/take_task", "Form", `click("Delete the tool")`, `$("dialog .danger")`},
	{"config", "tasks.yaml/take_task", "Tools", `click("tbridge.yaml", "#tools li")`, `$("#part-yaml .cm-line")`},
	{"save", "tasks.yaml/take_task", "Form", `await retitle("Other"); click("Save")`, `$("dialog .diff")`},
	{"save-refused", "files.yaml/upload_file", "Form", `put(field("path"), "/messages/{mesage_id}/files"); await until(() => $('[data-key="path"] .message')); click("Save")`, `$("dialog .message.error") && $("dialog .diff")`},
	{"banner", "tasks.yaml/take_task", "Form", `await retitle("Mine"); await outside("tasks.yaml", "Взять задачу в работу", "Theirs")`, `$(".banner")`},
	{"conflict", "tasks.yaml/take_task", "Form", `await retitle("Mine"); await outside("tasks.yaml", "Theirs", "Another of theirs"); await until(() => $(".banner")); click("Compare")`, `$("dialog .merge .cm-content")`},
	{"history", "tasks.yaml/take_task", "Details", `panel("History"); await until(() => $(".history ol button")); $$(".history ol button").at(-1).click()`, `$(".history .diff")`},
}

// staging is what the scripts of the screens say besides what all tests say.
const staging = `
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (f) => { for (let n = 0; !f(); n++) { if (n > 1000) throw new Error("it does not come: " + f); await sleep(30); } };
const typed = async (text) => { const c = $("#part-yaml .cm-content"); c.focus(); document.execCommand("selectAll"); document.execCommand("insertText", false, text); };
const press = async (key, more) => { document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true, ...more })); await sleep(50); };
const complete = async (after, text) => {
  const line = $$("#part-yaml .cm-line").find((l) => l.textContent.includes(after));
  $("#part-yaml .cm-content").focus();
  getSelection().collapse(line, line.childNodes.length);
  document.execCommand("insertText", false, "\n");
  document.execCommand("insertText", false, text);
};
const tryIt = async (args) => {
  panel("Try it");
  await until(() => by("as JSON"));
  if (!$('[aria-label="Arguments as JSON"]')) click("as JSON");
  await until(() => $('[aria-label="Arguments as JSON"]'));
  put('[aria-label="Arguments as JSON"]', JSON.stringify(args));
  await sleep(50);
  click("Run", ".try button");
};
const retitle = async (title) => { put(field("title"), title); await until(() => by("Save…")); };
const fromCurl = async (command) => {
  click("Add a tool");
  await until(() => $('dialog input[name="how"]'));
  $$('dialog input[name="how"]')[1].click();
  await until(() => $("#curl"));
  if (command) put("#curl", command);
};
const outside = async (path, from, to) => { // as another tab would
  const headers = { Authorization: "Bearer " + sessionStorage.getItem("tbridge:token"), "Content-Type": "application/json" };
  const { text, etag } = await (await fetch("/api/files/" + path, { headers })).json();
  await fetch("/api/files/" + path, { method: "PUT", headers: { ...headers, "If-Match": etag }, body: JSON.stringify({ text: text.replace(from, to) }) });
};
`

// every is a file with what the shipped ones lack: arguments of each type, nested ones, open ones, a test that fails.
const every = `api: tracker
tools:
  - name: every_type
    title: Каждый тип
    description: Takes arguments of every type there is.
    method: POST
    path: /every/{id}
    arguments:
      - {name: id, type: string, required: true, description: Id}
      - {name: count, type: integer, minimum: 1, maximum: 10, default: 2, description: How many}
      - {name: share, type: number, description: A share of the whole}
      - {name: urgent, type: boolean, nullable: true, description: Whether it cannot wait}
      - {name: kind, type: string, enum: [bug, feature, "no"], description: Kind}
      - name: place
        type: object
        description: Where it is
        properties:
          - {name: city, type: string, required: true, description: City}
          - name: at
            type: object
            description: Coordinates
            properties:
              - {name: lat, type: number, required: true, description: Latitude}
              - {name: lon, type: number, required: true, description: Longitude}
      - name: stops
        type: array
        description: Stops on the way
        items:
          type: object
          properties:
            - {name: place, type: string, required: true, description: Where}
            - {name: minutes, type: integer, description: How long}
      - {name: where, type: object, description: Anything}
      - {name: content, type: file, max_bytes: 1MiB, description: A file}
    response: {text: "✅ {id}"}
    tests:
      - name: the place goes into the body
        arguments: {id: a, place: {city: Казань, at: {lat: 1.5, lon: 2}}}
        request: {method: POST, target: /every/a, json: {count: 2, place: {city: Казань, at: {lat: 1.5, lon: 3}}}}
        response: {status: 200, json: {ok: true, data: {id: a}}}
        result: {text: "✅ b"}
  - name: whatever
    description: Passes on whatever it is given.
    method: POST
    path: /whatever
`

const axe = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) =>
  r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 200)).join("\n   ")).join("\n"))`

var looks = []look{{1400, 900, "light"}, {1400, 900, "dark"}, {400, 800, "light"}, {400, 800, "dark"}}

// Each screen, in both themes, on a desk and on a phone: no violation of WCAG 2.2 AA that axe-core finds, and nothing
// wider than the window. $SCREENSHOTS names a directory to put pictures into.
func TestScreens(t *testing.T) {
	for _, l := range looks {
		t.Run(fmt.Sprintf("%s-%d", l.theme, l.width), func(t *testing.T) {
			p := newSite(t, map[string]string{"tools.d/every.yaml": every}).open(l)
			for _, s := range screens {
				file, tool, _ := strings.Cut(s.tool, "/")
				p.run(fmt.Sprintf(`localStorage.clear(); localStorage.setItem("tbridge:last", %q)`, file+"\n"+tool))
				p.do(chromedp.Reload())
				p.until(fmt.Sprintf(`$(".form h2")?.textContent === %q && $("#tools .tool")`, tool))
				p.run(fmt.Sprintf(`by(%q, ".views [role=tab]")?.click()`, s.view))
				p.run(staging + s.script)
				p.until(s.there)
				p.examine(s.name, l)
			}
		})
	}
}

// Screens of a page that has nothing to show: an empty directory, a catalogue that takes its time, a token that is not
// valid, a workbench that has ended.
func TestScreensWithoutTools(t *testing.T) {
	for _, l := range looks {
		t.Run(fmt.Sprintf("%s-%d", l.theme, l.width), func(t *testing.T) {
			s := newSite(t, nil)
			for _, name := range []string{"files", "messages", "people", "steps", "tasks"} {
				if err := os.Remove(filepath.Join(s.dir, "tools.d", name+".yaml")); err != nil {
					t.Fatal(err)
				}
			}
			p := s.open(l)
			p.until(`$(".list .empty, .form-part .empty")`)
			p.examine("empty", l)

			var slow page.ScriptIdentifier
			p.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
				slow, err = page.AddScriptToEvaluateOnNewDocument(`window.fetch = () => new Promise(() => {})`).Do(ctx)
				return err
			}), chromedp.Reload())
			p.until(`document.body.textContent.includes("Reading the tools")`)
			p.examine("loading", l)
			p.do(chromedp.ActionFunc(func(ctx context.Context) error { return page.RemoveScriptToEvaluateOnNewDocument(slow).Do(ctx) }))

			p.run(`sessionStorage.clear()`)
			p.do(chromedp.Reload())
			p.until(`$(".failure")`)
			p.examine("no-token", l)

			p.run(fmt.Sprintf(`sessionStorage.setItem("tbridge:token", %q)`, s.token))
			p.run(`click("Try again")`)
			p.until(`$(".app")`)
			p.alone.Store(true)
			s.server.CloseClientConnections()
			s.server.Close()
			p.until(`$(".offline")`)
			p.examine("gone", l)
		})
	}
}

// examine holds a screen to what every screen must be.
func (p *tab) examine(name string, l look) {
	p.t.Helper()
	source, err := os.ReadFile("../ui/node_modules/axe-core/axe.min.js")
	if err != nil {
		p.t.Fatal("axe-core is missing, run npm ci in workbench/ui: ", err)
	}
	var found string
	p.eval("if (!window.axe) {"+string(source)+"};0", nil)
	p.eval(axe, &found)
	if found != "" {
		p.t.Errorf("%s: %s", name, found)
	}
	equal(p.t, name+": by how much the page is larger than its window", p.text(`[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]`), "0,0")
	pictures := os.Getenv("SCREENSHOTS")
	if pictures == "" {
		return
	}
	var png []byte
	p.do(chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(filepath.Join(pictures, fmt.Sprintf("%s-%d-%s.png", name, l.width, l.theme)), png, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// With 1,000 tools the page is there and checks what is typed in time. The numbers are printed, not held to a limit,
// which would be one of the machine.
func TestThousandTools(t *testing.T) {
	many := map[string]string{}
	for f := range 50 {
		var b strings.Builder
		b.WriteString("api: tracker\ntools:\n")
		for i := range 20 {
			fmt.Fprintf(&b, "  - name: tool_%d_%d\n    description: Tool %d of file %d.\n    method: GET\n    path: /tasks/{task_id}\n    arguments:\n      - {name: task_id, type: string, required: true, description: Task id}\n", f, i, i, f)
		}
		many[fmt.Sprintf("tools.d/many%02d.yaml", f)] = b.String()
	}
	p := newSite(t, many).open(desk)
	t.Logf("first contentful paint after %s ms", p.text(`Math.round(performance.getEntriesByName("first-contentful-paint")[0].startTime)`))
	equal(t, "the number of tools", p.text(`$$("#tools .tool").length >= 1000`), "true")
	p.openTool("tool_7_7")
	start := time.Now()
	p.run(`put(field("path"), "/tasks/{task_ix}")`)
	p.until(`$('[data-key="path"] .message.error')`)
	t.Logf("an error is shown after %v", time.Since(start).Round(time.Millisecond))
	t.Logf("one check takes %s ms", p.text(`Math.round(performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/api/edit") || e.name.endsWith("/api/check")).at(-1).duration)`))
}
