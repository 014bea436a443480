//go:build browser

package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const alt, ctrl, shift = input.ModifierAlt, input.ModifierCtrl, input.ModifierShift

// press presses a key, with modifiers; with them it types nothing. What the page does at the key going down keeps it from
// typing, as it does at a keyboard.
func (p *tab) press(key string, modifiers ...input.Modifier) {
	p.t.Helper()
	var held input.Modifier
	for _, m := range modifiers {
		held |= m
	}
	events := kb.Encode([]rune(key)[0])
	down, up := *events[0], *events[len(events)-1]
	if len(events) == 3 && held == 0 {
		down.Type, down.Text = input.KeyDown, events[1].Text
	}
	p.do(down.WithModifiers(held), up.WithModifiers(held))
}

// types types a text where the focus is.
func (p *tab) types(text string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(text))
}

// tabTo presses Tab, or Shift+Tab, until an expression is true of the focus, which is e.
func (p *tab) tabTo(expression string, modifiers ...input.Modifier) {
	p.t.Helper()
	reached := `((e) => e !== document.body && ` + expression + `)(document.activeElement)`
	for range 120 {
		if p.text(reached) == "true" {
			return
		}
		p.press(kb.Tab, modifiers...)
	}
	p.t.Fatalf("Tab does not come to %s; the focus is on %s", expression, p.text("document.activeElement.outerHTML.slice(0, 300)"))
}

// find opens a tool by the palette.
func (p *tab) find(tool string) {
	p.t.Helper()
	p.press("k", ctrl)
	p.until(`document.activeElement.matches("dialog input")`)
	p.types(tool)
	p.until(fmt.Sprintf(`$$("#commands li").some((l) => l.querySelector("span").textContent === %q)`, tool))
	for p.text(fmt.Sprintf(`$('#commands [aria-selected="true"] span').textContent === %q`, tool)) != "true" {
		p.press(kb.ArrowDown)
	}
	p.press(kb.Enter)
	p.until(fmt.Sprintf(`$(".form h2")?.textContent === %q && !$("dialog")`, tool))
}

// saveByKeys shows what changed, and saves.
func (p *tab) saveByKeys() {
	p.t.Helper()
	p.press("s", ctrl)
	p.until(`$("dialog .diff") && document.activeElement.textContent === "Save" && !document.activeElement.disabled`)
	p.press(kb.Enter)
	p.until(`!$("dialog") && by("Saved")`)
}

// panelByKeys goes to a tab of the panel.
func (p *tab) panelByKeys(name string) {
	p.t.Helper()
	p.press("4", alt)
	p.until(`document.activeElement.matches("#part-panel [role=tab]")`)
	for p.text(fmt.Sprintf(`document.activeElement.textContent.includes(%q)`, name)) != "true" {
		p.press(kb.ArrowRight)
	}
}

// By keyboard alone: find a tool, change its title, see the difference, save, find another in the list, try it.
func TestByKeyboardAlone(t *testing.T) {
	s := newSite(t, nil)
	before := s.read(tasks)
	p := s.open(desk)
	p.find("take_task")
	p.press("2", alt)
	p.until(`document.activeElement.closest("#part-form")`)
	p.tabTo(`e === field("title")`)
	p.press("a", ctrl)
	p.types("Typed")
	p.until(`yaml().includes("title: Typed")`)
	p.saveByKeys()
	equal(t, "the change", changed(before, s.read(tasks)), []string{"-    title: Взять задачу в работу", "+    title: Typed"})
	p.press("1", alt)
	p.until(`document.activeElement.id === "search"`)
	p.types("list_tasks")
	p.until(`$$("#tools .tool").length > 0 && $$("#tools .tool").length < 23`)
	for p.text(`$("#tools .cursor").textContent.includes("list_tasks")`) != "true" {
		p.press(kb.ArrowDown)
	}
	p.press(kb.Enter)
	p.until(`$(".form h2")?.textContent === "list_tasks"`)
	p.panelByKeys("Try it")
	p.until(`$(".try .http")`)
	p.press(kb.Enter, ctrl)
	p.until(`$(".try .text")?.textContent.includes("TE-15")`)
}

// By keyboard alone: an error is made in the YAML, found by F8 and mended by its suggestion; an argument with a field is
// added in the form; what is not read-only is confirmed.
func TestMendAndAddByKeyboardAlone(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.find("take_task")
	p.press("2", alt)
	p.tabTo(`e === field("path")`)
	p.press("a", ctrl)
	p.types("/tasks/{task_ix}/take")
	p.until(`$('[data-key="path"] .message.error')`)
	p.press(kb.Tab)
	p.tabTo(`e.textContent.startsWith("Replace by") && !!e.closest(".form")`)
	p.press(kb.Enter)
	p.until(`field("path").value === "/tasks/{task_id}/take" && !$(".form .message.error")`)

	p.press("2", alt)
	p.tabTo(`e.textContent.includes("Add an argument")`)
	p.press(kb.Enter)
	p.until(`document.activeElement === field("arguments.2.name")`)
	p.types("place")
	p.until(`yaml().includes("name: place")`)
	p.press(kb.Tab)
	p.until(`document.activeElement === field("arguments.2.type")`)
	p.types("ob")
	p.until(`yaml().includes("{name: place, type: object") && by("Add a field")`)
	p.tabTo(`e.textContent.includes("Add a field")`)
	p.press(kb.Enter)
	p.until(`document.activeElement === field("arguments.2.properties.0.name")`)
	p.types("city")
	p.until(`yaml().includes("name: city")`)
	p.saveByKeys()
	if text := s.read(tasks); !strings.Contains(text, "{name: place, type: object") || !strings.Contains(text, "properties: [{name: city, type: string") {
		t.Errorf("the file is\n%s", text)
	}

	p.panelByKeys("Try it")
	p.until(`$("#try-task_id")`)
	p.tabTo(`e.id === "try-task_id"`)
	p.types("TE-15")
	p.until(`$(".try .http")?.textContent.includes("/tasks/TE-15/take")`)
	p.press(kb.Enter, ctrl)
	p.until(`$("dialog .http")`)
	p.tabTo(`e.textContent === "Send it"`)
	p.press(kb.Enter)
	p.until(`$(".try .text")?.textContent.includes("TE-15")`)
	p.tabTo(`e.textContent === "Keep as a test"`)
	p.press(kb.Enter)
	p.until(`$$(".tests li").length === 5 && $$(".tests .failed").length === 0`)
}

// By keyboard alone: a tool from a curl command, a conflict, the history.
func TestCurlConflictAndHistoryByKeyboardAlone(t *testing.T) {
	s := newSite(t, nil)
	before := s.read(tasks)
	p := s.open(desk)
	p.find("take_task")
	p.press("n", alt)
	p.until(`document.activeElement.id === "add-name"`)
	p.tabTo(`e.name === "how"`, shift)
	p.press(kb.ArrowRight)
	p.until(`$("#curl")`)
	p.tabTo(`e.id === "curl"`)
	p.types("curl " + s.tracker.URL + "/tasks/TE-15/history")
	p.press(kb.Enter)
	p.tabTo(`e.type === "submit"`)
	p.press(kb.Enter)
	p.until(`!$("dialog form")`)
	if p.text(`!!$("dialog")`) == "true" {
		p.press(kb.Enter)
	}
	p.until(`!$("dialog") && yaml().includes("/history")`)

	theirs := strings.Replace(before, "title: Список задач", "title: Theirs", 1)
	s.write(tasks, theirs)
	p.until(`$(".banner")`)
	p.press("s", ctrl)
	p.until(`$("dialog .cm-merge-revert button")`)
	p.tabTo(`e.matches(".cm-merge-revert button")`)
	p.press(kb.Enter)
	p.tabTo(`e.textContent === "Go on with the right side"`)
	p.press(kb.Enter)
	p.until(`$("dialog .diff .added")`)
	p.until(`document.activeElement.textContent === "Save" && !document.activeElement.disabled`)
	p.press(kb.Enter)
	p.until(`!$("dialog") && by("Saved")`)
	if text := s.read(tasks); !strings.HasPrefix(text, theirs) || !strings.Contains(text, "/history") {
		t.Errorf("the file is\n%s", text)
	}

	p.panelByKeys("History")
	p.until(`$(".history ol button")`)
	p.tabTo(`e.matches(".history ol li:last-child button")`)
	p.press(kb.Enter)
	p.until(`$(".history .diff .removed")`)
	p.tabTo(`e.textContent.includes("Restore this text")`)
	p.press(kb.Enter)
	p.until(`by("Save…")`)
	p.saveByKeys()
	equal(t, "the file", s.read(tasks), theirs)
}
