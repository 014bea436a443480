//go:build browser

package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// screens are the screens of the page: how each comes to be, and what says that it is there.
var screens = []struct{ name, view, script, there string }{
	{"form", "Form", `$$(".section").forEach((d) => (d.open = true))`, `$(".snippet .cm-content")`},
	{"arguments", "Form", `click("Details of content")`, `$(".details")`},
	{"list", "Tools", `put("#search", "task")`, `$("#tools .tool")`},
	{"yaml", "YAML", ``, `$("#part-yaml .cm-line")`},
	{"problems", "Form", `put(field("path"), "/messages/{mesage_id}/files")`, `$('[data-key="path"] .message')`},
	{"model", "Details", `panel("Model")`, `$(".model .json")`},
	{"try", "Details", `panel("Try it")`, `$(".try")`},
	{"tests", "Details", `panel("Tests")`, `$("#panel h3")`},
	{"history", "Details", `panel("History")`, `$("#panel .empty")`},
	{"export", "Details", `panel("Export")`, `$("#panel .json")`},
	{"palette", "", `click("Find")`, `$("#commands li")`},
	{"keys", "", `click("Keys")`, `$("dialog .keys")`},
	{"add", "Tools", `click("Add a tool")`, `$("dialog .templates")`},
	{"curl", "Tools", `click("Add a tool"); await new Promise((d) => setTimeout(d, 200)); $$('dialog input[name="how"]')[1].click()`, `$("#curl")`},
	{"delete", "Form", `click("Delete the tool")`, `$("dialog .danger")`},
	{"config", "Tools", `click("tbridge.yaml", "#tools li")`, `$("#part-yaml .cm-line")`},
	{"save", "Form", `put(field("title"), "Other"); await new Promise((d) => setTimeout(d, 900)); click("Save")`, `$("dialog .diff")`},
}

const axe = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) =>
  r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 200)).join("\n   ")).join("\n"))`

// Each screen, in both themes, on a desk and on a phone: no violation of WCAG 2.2 AA that axe-core finds, and nothing
// wider than the window. $SCREENSHOTS names a directory to put pictures into.
func TestScreens(t *testing.T) {
	source, err := os.ReadFile("../ui/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("axe-core is missing, run npm ci in workbench/ui: ", err)
	}
	pictures := os.Getenv("SCREENSHOTS")
	for _, l := range []look{{1400, 900, "light"}, {1400, 900, "dark"}, {400, 800, "light"}, {400, 800, "dark"}} {
		t.Run(fmt.Sprintf("%s-%d", l.theme, l.width), func(t *testing.T) {
			p := newSite(t, nil).open(l)
			for _, s := range screens {
				p.run(`localStorage.clear()`)
				p.do(chromedp.Reload())
				p.until(`$(".form h2") || $("#part-tools .tool")`)
				p.until(`$(".form")`)
				p.run(fmt.Sprintf(`by(%q, ".views [role=tab]")?.click()`, s.view))
				p.run(s.script)
				p.until(s.there)
				var found string
				p.eval(string(source)+";0", nil)
				p.eval(axe, &found)
				if found != "" {
					t.Errorf("%s: %s", s.name, found)
				}
				if wide := p.text(`document.documentElement.scrollWidth - innerWidth`); wide != "0" {
					t.Errorf("%s: the page is %s px too wide", s.name, wide)
				}
				if pictures != "" {
					var png []byte
					p.do(chromedp.CaptureScreenshot(&png))
					if err := os.WriteFile(filepath.Join(pictures, fmt.Sprintf("%s-%d-%s.png", s.name, l.width, l.theme)), png, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

const hostile = `<img src=x onerror=window.PWN=1><script>window.PWN=1</script>`

// Text of files, answers and messages stays text, wherever it stands.
func TestHostileTextStaysText(t *testing.T) {
	tools := fmt.Sprintf(`api: tracker
tags: [%[1]q]
tools:
  - name: list_tasks2
    title: %[1]q
    description: %[1]q
    method: GET
    path: /tasks
    arguments:
      - {name: status, type: string, description: %[1]q, enum: [todo, %[1]q], default: todo, examples: [%[1]q]}
      - {name: %[1]q, type: string, description: x}
    response: {text: %[2]q, each: %[1]q}
`, hostile, hostile+" {#}")
	s := newSite(t, map[string]string{"tools.d/a.yaml": tools, "tools.d/b.yaml": strings.Replace(strings.Replace(tools, "list_tasks2", "list_tasks3", 1),
		fmt.Sprintf("      - {name: %q, type: string, description: x}\n", hostile), "", 1)})
	p := s.open(desk)
	for _, tool := range []string{"list_tasks2", "list_tasks3"} {
		p.openTool(tool)
		for _, panel := range []string{"Problems", "Model", "Tests", "History", "Export", "Try it"} {
			p.run(fmt.Sprintf(`panel(%q)`, panel))
			p.until(`$("#panel").textContent.length > 0`)
		}
	}
	p.until(`$(".try .http")`)
	p.run(`click("Run", ".try button")`)
	p.until(`$(".try .text")?.textContent.includes("<img")`)
	equal(t, "what ran", p.text(`[typeof window.PWN, $$("img").length, $$("script:not([src])").length]`), "undefined,0,0")
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
