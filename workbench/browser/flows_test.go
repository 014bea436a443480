//go:build browser

package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const tasks, files = "tools.d/tasks.yaml", "tools.d/files.yaml"

// save confirms the dialog that shows the difference.
func (p *tab) save() {
	p.t.Helper()
	p.run(`click("Save")`)
	p.until(`$("dialog .diff")`)
	p.until(`!by("Save", "dialog .primary").disabled`)
	p.run(`click("Save", "dialog .primary")`)
	p.until(`!$("dialog") && by("Saved")`)
}

// chord presses a key with a modifier. It types nothing, as a browser has it.
func (p *tab) chord(key rune, modifier input.Modifier) {
	p.t.Helper()
	for _, event := range kb.Encode(key) {
		if event.Type != input.KeyChar {
			p.do(event.WithModifiers(modifier))
		}
	}
}

// Find a tool, change its description, see the one line that differs, save.
func TestChangeADescription(t *testing.T) {
	s := newSite(t, nil)
	before := s.read(tasks)
	p := s.open(desk)
	p.run(`put("#search", "взять свободную")`)
	p.until(`$$("#tools .tool").length === 1`)
	p.openTool("take_task")
	p.run(`put(field("description"), "Take a free task: \"yes\" or no.")`)
	p.until(`yaml().includes("Take a free task")`)
	p.run(`click("Save")`)
	p.until(`$("dialog .diff .added")`)
	equal(t, "the difference", p.text(`$$("dialog .diff .added, dialog .diff .removed").length`), "2")
	p.run(`click("Save", "dialog .primary")`)
	p.until(`!$("dialog") && by("Saved")`)
	got := changed(before, s.read(tasks))
	if len(got) != 2 || !strings.HasPrefix(got[0], "-    description: Взять свободную задачу.") || !strings.HasPrefix(got[1], "+    description: ") || !strings.Contains(got[1], "Take a free task") {
		t.Errorf("the file changed by\n%s", strings.Join(got, "\n"))
	}
}

// An error stands in the margin, under the field and in the list; its suggestion mends it.
func TestAnErrorIsSeenThreeTimesAndMended(t *testing.T) {
	s := newSite(t, nil)
	before := s.read(tasks)
	p := s.open(desk)
	p.openTool("take_task")
	p.run(`put(field("path"), "/tasks/{task_ix}/take")`)
	p.until(`$("#part-yaml .cm-lint-marker-error")`)
	p.until(`$('[data-key="path"] .message.error')?.textContent.includes("task_ix")`)
	p.until(`$(".problems .error")?.textContent.includes("task_ix")`)
	p.run(`click("Save")`)
	p.until(`$("dialog .message.error") && by("Save", "dialog .primary").disabled`)
	p.run(`click("Back", "dialog button")`)
	p.run(`click("Replace by", ".problems button")`)
	p.until(`!$(".problems .error") && !$("#part-yaml .cm-lint-marker-error") && !$('[data-key="path"] .message')`)
	p.until(`by("Saved")`)
	equal(t, "the file", s.read(tasks), before)
}

// An argument with nested fields, made in the form.
func TestAddAnArgumentWithNestedFields(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.openTool("create_task")
	n := p.text(`$$(".arguments > ol > li").length`)
	p.run(`click("Add an argument")`)
	key := "arguments." + n
	p.until(`document.activeElement === field("` + key + `.name")`)
	p.run(`put(field("` + key + `.name"), "stops")`)
	p.until(`yaml().includes("name: stops")`)
	p.run(`put(field("` + key + `.type"), "array")`)
	p.until(`field("` + key + `.items.type")`)
	p.run(`put(field("` + key + `.items.type"), "object")`)
	p.until(`by("Add a field")`)
	p.run(`click("Add a field")`)
	p.until(`field("` + key + `.items.properties.0.name")`)
	p.run(`put(field("` + key + `.items.properties.0.name"), "place")`)
	p.run(`put(field("` + key + `.items.properties.0.description"), "Where")`)
	p.run(`put(field("` + key + `.description"), "Stops on the way")`)
	p.run(`document.activeElement.blur()`)
	p.until(`/name: place[^]*Where/.test(yaml()) && yaml().includes("Stops on the way")`)
	p.save()
	for _, want := range []string{"stops", "items:", "type: object", "properties:", "place", "Where", "Stops on the way"} {
		if !strings.Contains(s.read(tasks), want) {
			t.Errorf("the file lacks %q:\n%s", want, s.read(tasks))
		}
	}
}

// A renamed argument keeps its place in the path; Alt+Up moves it.
func TestRenameAndMoveAnArgument(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.openTool("upload_file")
	p.run(`put(field("arguments.0.name"), "message")`)
	p.until(`yaml().includes("/messages/{message}/files")`)
	p.run(`field("arguments.1.name").focus()`)
	p.chord([]rune(kb.ArrowUp)[0], input.ModifierAlt)
	p.until(`field("arguments.0.name").value === "filename" && document.activeElement === field("arguments.0.name")`)
	p.save()
	if text := s.read(files); !strings.Contains(text, "path: /messages/{message}/files") || strings.Index(text, "name: filename") > strings.Index(text, "name: message,") {
		t.Errorf("the file is\n%s", text)
	}
}

// A read-only call runs at once; another is asked about, with its request.
func TestTryACall(t *testing.T) {
	p := newSite(t, nil).open(desk)
	p.openTool("list_tasks")
	p.run(`panel("Try it")`)
	p.until(`$(".try .http")?.textContent.includes("Bearer ${TRACKER_TOKEN}")`)
	p.run(`click("Run", ".try button")`)
	p.until(`$(".try .text")?.textContent.includes("TE-15")`)
	p.openTool("take_task")
	p.until(`$("#try-task_id")`)
	p.run(`put("#try-task_id", "TE-15")`)
	p.until(`$(".try .http")?.textContent.includes("/tasks/TE-15/take")`)
	p.run(`click("Run", ".try button")`)
	p.until(`$("dialog .http")?.textContent.includes("/tasks/TE-15/take")`)
	p.run(`click("Send it", "dialog button")`)
	p.until(`$(".try .text")?.textContent.includes("TE-15")`)
}

// A try becomes a test of its tool, and passes.
func TestKeepATryAsATest(t *testing.T) {
	p := newSite(t, nil).open(desk)
	p.openTool("list_members")
	p.run(`panel("Try it")`)
	p.until(`$(".try .http")`)
	p.run(`click("Run", ".try button")`)
	p.until(`$(".try .text")?.textContent.includes("reviewer")`)
	p.run(`click("Keep as a test")`)
	p.until(`yaml().includes("tests:") && $(".tests .passed")`)
}

// A curl command becomes a tool; its secret does not get into the file.
func TestAddAToolFromCurl(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.run(`click("Add a tool")`)
	p.run(`$$('dialog input[name="how"]')[1].click()`)
	p.until(`$("#curl")`)
	p.run(`put("#curl", "curl -X POST https://api.example/v1/tasks -H 'Authorization: Bearer s3cr3t-t0k3n-value' -H 'Content-Type: application/json' -d '{\"title\":\"x\",\"done\":false}'"); put("#add-name", "make_task")`)
	p.run(`click("Add", "dialog .primary")`)
	p.until(`$("dialog .notes") || $(".form h2")?.textContent === "make_task"`)
	p.run(`by("Good")?.click()`)
	p.until(`$(".form h2")?.textContent === "make_task"`)
	if text := p.text(`localStorage.getItem("tbridge:draft:files.yaml") + document.body.innerText`); strings.Contains(text, "s3cr3t") {
		t.Errorf("the secret is in the page:\n%s", text)
	}
}

// Tools from a template, as a copy, and away again.
func TestAddDuplicateAndDelete(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.openTool("get_task")
	p.run(`click("Add a tool")`)
	p.until(`$("#add-name")`)
	p.run(`put("#add-name", "get_thing")`)
	p.run(`click("Add", "dialog .primary")`)
	p.until(`$(".form h2")?.textContent === "get_thing" && document.activeElement === field("description")`)
	p.run(`put(field("description"), "Read a thing.")`)
	p.until(`yaml().includes("Read a thing.")`)
	p.run(`click("Duplicate the tool")`)
	p.until(`$(".form h2")?.textContent === "get_thing_copy"`)
	p.run(`click("Delete the tool")`)
	p.until(`$("dialog .danger")`)
	p.run(`click("Delete", "dialog .danger")`)
	p.until(`!$$("#tools .tool").some((t) => t.textContent.includes("get_thing_copy"))`)
	p.save()
	if text := s.read(tasks); strings.Count(text, "get_thing") != 1 {
		t.Errorf("the file is\n%s", text)
	}
}

// When the file changed on disk, both versions are shown, and nothing is overwritten unasked.
func TestConflict(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.openTool("take_task")
	p.run(`put(field("title"), "Mine")`)
	p.until(`yaml().includes("title: Mine")`)
	theirs := strings.Replace(s.read(tasks), "title: Список задач", "title: Theirs", 1)
	s.write(tasks, theirs)
	p.until(`$(".banner")`)
	p.run(`click("Save")`)
	p.until(`$("dialog .merge .cm-merge-a")`)
	equal(t, "the file", s.read(tasks), theirs)
	p.until(`$("dialog .merge").textContent.includes("Theirs") && $("dialog .merge").textContent.includes("Mine")`)
	p.run(`$$("dialog .cm-merge-revert button")[0].click()`)
	p.run(`click("Go on with the right side")`)
	p.until(`$("dialog .diff .added")`)
	p.run(`click("Save", "dialog .primary")`)
	p.until(`!$("dialog") && by("Saved")`)
	equal(t, "what changed in theirs", changed(theirs, s.read(tasks)), []string{"-    title: Взять задачу в работу", "+    title: Mine"})
}

// A file that changes on disk while there is no draft is shown as it is.
func TestOutsideChangesAppear(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.openTool("take_task")
	s.write(tasks, strings.Replace(s.read(tasks), "title: Взять задачу в работу", "title: From outside", 1))
	p.until(`field("title").value === "From outside" && yaml().includes("From outside")`)
}

// History keeps what was there before a save, and gives it back.
func TestHistory(t *testing.T) {
	s := newSite(t, nil)
	before := s.read(tasks)
	p := s.open(desk)
	p.openTool("take_task")
	p.run(`put(field("title"), "Changed")`)
	p.until(`yaml().includes("title: Changed")`)
	p.save()
	p.run(`panel("History")`)
	p.until(`$(".history ol li")`)
	p.run(`$$(".history ol button").at(-1).click()`)
	p.until(`$(".history .diff")`)
	p.run(`click("Restore this text")`)
	p.until(`field("title").value === "Взять задачу в работу"`)
	p.save()
	equal(t, "the file", s.read(tasks), before)
}

// A file with a byte order mark and CRLF keeps both, whether the form or the YAML is typed in; a line that ends otherwise
// stays so too.
func TestLineEndsStay(t *testing.T) {
	before := "\uFEFF" + strings.ReplaceAll("# Файл\napi: tracker\ntools:\n  - name: one\n    description: One.\n    method: GET\n    path: /one\n    arguments: []\n", "\n", "\r\n") + "# unix\n# windows\r\n"
	s := newSite(t, map[string]string{"tools.d/a.yaml": before})
	p := s.open(desk)
	p.openTool("one")
	p.run(`put(field("title"), "Один")`)
	p.until(`yaml().includes("title: Один")`)
	p.run(`$("#part-yaml .cm-content").focus()`)
	p.chord([]rune(kb.End)[0], input.ModifierCtrl)
	p.do(chromedp.KeyEvent("# end"))
	p.chord([]rune(kb.Enter)[0], 0)
	p.do(chromedp.KeyEvent("# more"))
	p.until(`yaml().endsWith("# end\n# more")`)
	p.until(`by("Save…")`)
	p.save()
	equal(t, "the file", s.read("tools.d/a.yaml"), strings.Replace(before, "    description", "    title: Один\r\n    description", 1)+"# end\r\n# more")
}

// A draft outlives its tab's page, and the token leaves the address.
func TestDraftsAreKept(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.openTool("take_task")
	p.run(`put(field("title"), "Draft")`)
	p.until(`yaml().includes("title: Draft")`)
	if at := p.text(`location.href`); strings.Contains(at, "token") {
		t.Errorf("the address is %s", at)
	}
	p.do(chromedp.Reload())
	p.until(`field("title")?.value === "Draft" && by("Save…")`)
}

// The whole way by keyboard alone.
func TestByKeyboardAlone(t *testing.T) {
	s := newSite(t, nil)
	before := s.read(tasks)
	p := s.open(desk)
	const alt, ctrl = input.ModifierAlt, input.ModifierCtrl
	key := func(k string, modifiers ...input.Modifier) {
		t.Helper()
		if len(modifiers) == 0 {
			p.do(chromedp.KeyEvent(k))
			return
		}
		p.chord([]rune(k)[0], modifiers[0])
	}
	key("k", ctrl)
	p.until(`document.activeElement.matches("dialog input")`)
	key("take_task")
	p.until(`$$("#commands li").some((l) => l.textContent.startsWith("take_task"))`)
	for p.text(`$('#commands [aria-selected="true"]').textContent.startsWith("take_task")`) != "true" {
		key(kb.ArrowDown)
	}
	key(kb.Enter)
	p.until(`$(".form h2")?.textContent === "take_task" && !$("dialog")`)
	key("2", alt)
	p.until(`document.activeElement.closest("#part-form")`)
	for i := 0; p.text(`document.activeElement === field("title")`) != "true"; i++ {
		if i > 20 {
			t.Fatal("Tab does not come to the title")
		}
		key(kb.Tab)
	}
	key("a", ctrl)
	key("Typed")
	p.until(`yaml().includes("title: Typed")`)
	key("s", ctrl)
	p.until(`$("dialog .diff") && document.activeElement.textContent === "Save"`)
	key(kb.Enter)
	p.until(`!$("dialog") && by("Saved")`)
	equal(t, "the change", changed(before, s.read(tasks)), []string{"-    title: Взять задачу в работу", "+    title: Typed"})
	key("1", alt)
	p.until(`document.activeElement.id === "search"`)
	key("list_tasks")
	p.until(`$$("#tools .tool").length > 0 && $$("#tools .tool").length < 23`)
	for p.text(`$("#tools .cursor").textContent.includes("list_tasks")`) != "true" {
		key(kb.ArrowDown)
	}
	key(kb.Enter)
	p.until(`$(".form h2")?.textContent === "list_tasks"`)
	key("4", alt)
	p.until(`document.activeElement.matches("#part-panel [role=tab]")`)
	key(kb.ArrowRight)
	key(kb.ArrowRight)
	p.until(`$(".try .http")`)
	key(kb.Enter, ctrl)
	p.until(`$(".try .text")?.textContent.includes("TE-15")`)
}
