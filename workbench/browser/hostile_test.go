//go:build browser

package browser_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
	p.nothingRan()
}

// nothingRan checks that no text became markup.
func (p *tab) nothingRan() {
	p.t.Helper()
	equal(p.t, "what ran", p.text(`[typeof window.PWN, $$("img").length, $$("script:not([src])").length]`), "undefined,0,0")
}

// What an API answers stays text: in JSON, as a page, as an image, in headers, in the name of a file, in an error. So does
// the name of a tools file.
func TestHostileAnswersStayText(t *testing.T) {
	answers := map[string]func(http.ResponseWriter){
		"json": func(w http.ResponseWriter) {
			answerWith(w, 200, "application/json", fmt.Sprintf(`{"%[1]s": ["%[1]s"]}`, hostile))
		},
		"html":  func(w http.ResponseWriter) { answerWith(w, 200, "text/html", "<html>"+hostile) },
		"plain": func(w http.ResponseWriter) { answerWith(w, 200, "text/plain", hostile) },
		"svg": func(w http.ResponseWriter) {
			answerWith(w, 200, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" onload="window.PWN=1">`+hostile+`</svg>`)
		},
		"header": func(w http.ResponseWriter) {
			w.Header().Set("X-Evil", hostile)
			answerWith(w, 200, "application/json", `{}`)
		},
		"file": func(w http.ResponseWriter) {
			w.Header().Set("Content-Disposition", `attachment; filename="`+hostile+`"`)
			answerWith(w, 200, "application/octet-stream", "\x00\x01")
		},
		"error": func(w http.ResponseWriter) {
			answerWith(w, 500, "application/json", fmt.Sprintf(`{"message": "%s"}`, hostile))
		},
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answers[strings.TrimPrefix(r.URL.Path, "/")](w) }))
	t.Cleanup(upstream.Close)
	tools := "api: evil\ntools:\n"
	for name := range answers {
		tools += fmt.Sprintf("  - {name: get_%[1]s, description: Gets., method: GET, path: /%[1]s, arguments: []}\n", name)
	}
	const file = "<img src=x onerror=window.PWN=1>.yaml"
	s := newSite(t, map[string]string{"tools.d/" + file: tools})
	s.write("tbridge.yaml", strings.Replace(s.read("tbridge.yaml"), "\napis:\n", "\napis:\n  evil: {base_url: "+upstream.URL+"}\n", 1))
	p := s.open(desk)
	for name := range answers {
		p.openTool("get_" + name)
		p.run(`panel("Try it")`)
		p.until(fmt.Sprintf(`$(".try .http")?.textContent.includes("/%s")`, name))
		p.run(`click("Run", ".try button")`)
		p.until(`$(".answer .text")`)
		p.run(`$$(".answer details").forEach((d) => (d.open = true))`)
		p.until(`$$(".answer details").every((d) => d.open)`)
		p.nothingRan()
	}
	p.until(`document.body.innerText.includes("` + file + `")`)
}

func answerWith(w http.ResponseWriter, status int, media, body string) {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}
