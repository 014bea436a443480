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
	p.press(kb.ArrowUp, input.ModifierAlt)
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

// A curl command becomes a tool, also in a new file; its secret gets neither into the file nor into the draft.
func TestAddAToolFromCurl(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	add := func(address, file string) {
		p.run(`click("Add a tool")`)
		p.until(`$('dialog input[name="how"]')`)
		p.run(`$$('dialog input[name="how"]')[1].click()`)
		p.until(`$("#curl")`)
		p.run(fmt.Sprintf(`put("#curl", "curl -X POST %s/tasks -H 'Authorization: Bearer s3cr3t-t0k3n-value' -H 'Content-Type: application/json' -d '{\"title\":\"x\",\"done\":false}'"); put("#add-name", "make_task")`, address))
		if file != "" {
			p.run(`put("#add-file", "+")`)
			p.until(`$("#new-file")`)
			p.run(fmt.Sprintf(`put("#new-file", %q)`, file))
		}
		p.run(`click("Add", "dialog .primary")`)
		p.until(`$("dialog .notes")?.textContent.includes("secret")`)
		p.run(`click("Go on")`)
		p.until(`$(".form h2")?.textContent === "make_task"`)
		if text := p.text(`JSON.stringify(localStorage) + document.body.innerText`); strings.Contains(text, "s3cr3t") {
			t.Errorf("the secret is in the page:\n%s", text)
		}
	}
	add("https://api.example/v1", "")
	p.until(`$('[data-key="api"] .message.error')`)
	p.run(`click("Save"); `)
	p.until(`$("dialog")`)
	p.run(`click("Discard the draft")`)
	p.until(`$("dialog .danger")`)
	p.run(`click("Discard", "dialog .danger")`)
	p.until(`!$$("#tools .tool").some((t) => t.textContent.includes("make_task"))`)

	add(s.tracker.URL, "made.yaml")
	p.run(`put(field("description"), "Make a task.")`)
	p.until(`yaml().includes("Make a task.") && !$(".form .message.error")`)
	p.save()
	made := s.read("tools.d/made.yaml")
	if !strings.Contains(made, "api: tracker") || !strings.Contains(made, "name: make_task") || strings.Contains(made, "s3cr3t") {
		t.Errorf("the file is\n%s", made)
	}
	p.until(`$$("#tools .file").some((f) => f.textContent.includes("made.yaml"))`)
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

// On a phone both versions stand in one column; a part of theirs is taken by its button.
func TestConflictOnAPhone(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(look{400, 800, "dark"})
	p.openTool("take_task")
	p.run(`put(field("title"), "Mine"); put(field("path"), "/tasks/{task_id}/mine")`)
	p.until(`by("Save…")`)
	theirs := strings.Replace(s.read(tasks), "title: Взять задачу в работу", "title: Theirs", 1)
	s.write(tasks, theirs)
	p.until(`$(".banner")`)
	p.run(`click("Compare")`)
	p.until(`$("dialog .cm-deletedChunk")?.textContent.includes("Theirs")`)
	p.run(`click("Take the disk", "dialog .cm-deletedChunk button")`)
	p.until(`$$("dialog .cm-deletedChunk").length === 1`)
	p.run(`click("Go on with yours")`)
	p.until(`$("dialog .diff .added")`)
	p.run(`click("Save", "dialog .primary")`)
	p.until(`!$("dialog") && by("Saved")`)
	equal(t, "what changed in theirs", changed(theirs, s.read(tasks)), []string{"-    path: /tasks/{task_id}/take", "+    path: /tasks/{task_id}/mine"})
}

// A workbench that does not answer is said to be away; what is typed meanwhile is kept, and saved once it is back.
func TestTheWorkbenchIsAwayForAWhile(t *testing.T) {
	s := newSite(t, nil)
	p := s.open(desk)
	p.openTool("take_task")
	p.alone.Store(true)
	address := s.server.Listener.Addr().String()
	s.server.CloseClientConnections()
	s.server.Close()
	p.until(`$(".banner.offline")`)
	p.run(`$("#part-yaml .cm-content").focus()`)
	p.press(kb.Home, input.ModifierCtrl)
	p.types("# Typed while it was away")
	p.press(kb.Enter)
	p.until(`localStorage.getItem("tbridge:draft:tasks.yaml")?.includes("Typed while it was away")`)
	s.serve(address)
	p.until(`!$(".banner")`)
	p.alone.Store(false)
	p.until(`by("Save…")`)
	p.save()
	if text := s.read(tasks); !strings.HasPrefix(text, "# Typed while it was away\n") {
		t.Errorf("the file begins with %.100q", text)
	}
}

// What is typed in the YAML is in the form, and undone there and back.
func TestTheFormFollowsTheYAML(t *testing.T) {
	s := newSite(t, map[string]string{"tools.d/a.yaml": "api: tracker\ntools:\n  - name: one\n    description: One.\n    method: GET\n    path: /one\n    arguments: []\n    title: "})
	p := s.open(desk)
	p.openTool("one")
	p.run(`$("#part-yaml .cm-content").focus()`)
	p.press(kb.End, input.ModifierCtrl)
	for i, letter := range "Один" {
		p.types(string(letter))
		p.until(fmt.Sprintf(`field("title").value === %q`, "Один"[:i+len(string(letter))]))
	}
	p.run(`put(field("description"), "Two.")`)
	p.until(`yaml().includes("description: Two.")`)
	p.run(`document.activeElement.blur(); $$("#part-yaml .yaml-head button")[0].click()`)
	p.until(`field("description").value === "One."`)
	p.run(`$$("#part-yaml .yaml-head button")[1].click()`)
	p.until(`field("description").value === "Two."`)
}

// Each type of argument gets what belongs to it, written as that type reads it.
func TestEveryTypeOfArgument(t *testing.T) {
	s := newSite(t, map[string]string{"tools.d/a.yaml": "api: tracker\ntools:\n  - name: one\n    description: One.\n    method: POST\n    path: /one\n    arguments: []\n"})
	p := s.open(desk)
	p.openTool("one")
	for i, a := range []struct {
		kind   string
		fields [][2]string
	}{
		{"string", [][2]string{{"default", "007"}, {"enum", "007\nno"}, {"examples", "no"}}},
		{"string", [][2]string{{"pattern", "^[a-z]: .*$"}, {"minLength", "1"}, {"maxLength", "9"}, {"in", "query"}, {"as", "q[]"}}},
		{"integer", [][2]string{{"default", "12345678901234567890"}, {"minimum", "1"}}},
		{"number", [][2]string{{"default", "0.10"}, {"multipleOf", "0.05"}}},
		{"boolean", [][2]string{{"default", "true"}}},
		{"array", [][2]string{{"minItems", "1"}, {"items.type", "integer"}, {"in", "query"}, {"style", "comma"}}},
		{"object", [][2]string{{"in", "query"}, {"style", "brackets"}}},
		{"file", [][2]string{{"source", "text"}, {"filename", "a.txt"}, {"media_type", "text/plain"}, {"max_bytes", "1MiB"}}},
	} {
		key := fmt.Sprintf("arguments.%d", i)
		p.run(`click("Add an argument")`)
		p.until(`document.activeElement === field("` + key + `.name")`)
		p.run(fmt.Sprintf(`put(field("%[1]s.name"), "a%[2]d"); put(field("%[1]s.description"), "Описание")`, key, i))
		p.until(fmt.Sprintf(`yaml().includes("name: a%d") && yaml().match(/Описание/g)?.length === %d`, i, i+1))
		p.run(fmt.Sprintf(`put(field("%s.type"), %q)`, key, a.kind))
		p.until(fmt.Sprintf(`yaml().includes("name: a%d, type: %s") && field("%s.type").value === %q`, i, a.kind, key, a.kind))
		p.run(fmt.Sprintf(`by("Details of a%[1]d").getAttribute("aria-expanded") === "true" || click("Details of a%[1]d")`, i))
		for _, field := range a.fields {
			p.until(`field("` + key + "." + field[0] + `")`)
			p.run(fmt.Sprintf(`put(field("%s.%s"), %q)`, key, field[0], field[1]))
			p.until(fmt.Sprintf(`yaml().includes("%s: ")`, field[0][strings.LastIndex(field[0], ".")+1:]))
		}
	}
	p.run(`document.activeElement.blur()`)
	p.until(`$$(".form .message.error").length === 0`)
	p.save()
	equal(t, "the file", strings.Split(s.read("tools.d/a.yaml"), "\n")[6:], []string{
		"    arguments:",
		`      - {name: a0, type: string, description: Описание, default: "007", enum: ["007", "no"], examples: ["no"]}`,
		`      - {name: a1, type: string, description: Описание, in: query, as: "q[]", pattern: "^[a-z]: .*$", minLength: 1, maxLength: 9}`,
		`      - {name: a2, type: integer, description: Описание, default: 12345678901234567890, minimum: 1}`,
		`      - {name: a3, type: number, description: Описание, default: 0.10, multipleOf: 0.05}`,
		`      - {name: a4, type: boolean, description: Описание, default: true}`,
		`      - {name: a5, type: array, description: Описание, in: query, style: comma, items: {type: integer}, minItems: 1}`,
		`      - {name: a6, type: object, description: Описание, in: query, style: brackets}`,
		`      - {name: a7, type: file, description: Описание, source: text, filename: a.txt, media_type: text/plain, max_bytes: 1MiB}`,
		"",
	})
}

// What is exported is the tool as it stands in the page.
func TestExportTheDraft(t *testing.T) {
	p := newSite(t, nil).open(desk)
	p.openTool("take_task")
	p.run(`put(field("description"), "Not saved yet."); panel("Export")`)
	for format, want := range map[string]string{"trustgraph": `"type": "mcp-tool"`, "openai": `"type": "function"`, "anthropic": `"input_schema"`, "mcp": `"inputSchema"`, "prompt": "**take_task**"} {
		p.run(fmt.Sprintf(`put('[aria-label="Format"]', %q)`, format))
		p.until(fmt.Sprintf(`$("#panel .json")?.textContent.includes(%q) && $("#panel .json").textContent.includes("Not saved yet.")`, want))
	}
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
	p.press(kb.End, input.ModifierCtrl)
	p.types("# end")
	p.press(kb.Enter)
	p.types("# more")
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
