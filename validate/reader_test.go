package validate

import (
	"strings"
	"testing"

	"tbridge/config"
)

// sound is a tools file that the broken ones come from.
const sound = `api: a
tools:
  - name: take_task
    description: Assign a free task to an agent.
    method: POST
    path: /tasks/{task_id}/take
    arguments:
      - {name: task_id, type: string, description: Id or key of the task}
      - {name: count, type: integer, maximum: 10, default: 5}
    timeout: 30s
    response: {projection: data, text: "Task {key}"}
`

// Somebody who knows nothing but the finding can mend the file: it names the place, what stands there, and what
// to write instead, and what it says to write is right.
func TestAReaderMendsEachFileByItsMessage(t *testing.T) {
	tests := []struct {
		name, right, wrong string
		place              string // the text that the finding stands on
		says               []string
		remedy             string // the words of the finding that are the remedy
	}{
		{"a misspelt key", "description: Assign", "desciption: Assign", "desciption", []string{`no key "desciption"`}, `did you mean "description"?`},
		{"a misspelt hole", "{task_id}/take", "{taskid}/take", "{taskid}", []string{`"taskid"`, "no argument"}, `did you mean "task_id"?`},
		{"an unknown method", "method: POST", "method: PSOT", "PSOT", []string{`unknown method "PSOT"`, "GET, HEAD, POST, PUT, PATCH, DELETE"}, `did you mean "POST"?`},
		{"a time without unit", "timeout: 30s", "timeout: 30", "30", []string{"timeout", "a time such as 30s", `not "30"`}, "give the unit: 30s"},
		{"a default beyond the maximum", "default: 5}", "default: 50}", "50", []string{"default", `"count"`}, "10"},
		{"a type that is none", "type: integer", "type: int", "int", []string{"type must be string, integer, number", `not "int"`}, "integer"},
		{"text with a colon", "Assign a free task to an agent.", "Assign: a free task.", "description: Assign: a free task.", []string{"not YAML"}, `put text that holds ": " in quotes`},
		{"a list where a mapping is due", "response: {projection: data, text: \"Task {key}\"}", "response: [data]", "[data]", []string{"response", "not a list"}, "must be a mapping"},
		{"a brace that stays open", "Task {key}", "Task {key", "{key", []string{"opens a hole that is not closed"}, "close it with }"},
		{"a variable of the environment", "Task {key}", "Task ${TEAM}", "${TEAM", []string{"${TEAM}", "reads no environment"}, "write a variable under vars in tbridge.yaml"},
		{"an unknown api", "api: a\n", "api: b\n", "b", []string{`unknown api "b"`}, "there is a"},
		{"an absolute URL for a path", "path: /tasks", "path: https://a.example/tasks", "https://a.example/tasks/{task_id}/take", []string{"is a URL"}, "relative to base_url"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if found := errorsOf(t, sound); len(found) > 0 {
				t.Fatalf("the sound file: %v", found)
			}
			text := strings.Replace(sound, tt.right, tt.wrong, 1)
			found := errorsOf(t, text)
			if text == sound || len(found) == 0 {
				t.Fatal("nothing is wrong")
			}
			d := found[0]
			if got := spanned(text, d.Pos); got != tt.place {
				t.Errorf("the finding stands on %q, want %q", got, tt.place)
			}
			said := d.Message + "; " + d.Hint
			for _, word := range append(tt.says, tt.remedy) {
				if !strings.Contains(said, word) {
					t.Errorf("%q does not say %q", said, word)
				}
			}
		})
	}
}

// errorsOf gives the errors in a tools file, as part of a directory.
func errorsOf(t *testing.T, tools string) (found config.Diagnostics) {
	_, ds := load(t, write(t, map[string]string{"tools.d/t.yaml": tools}))
	for _, d := range ds {
		if d.Severity == config.Error {
			found = append(found, d)
		}
	}
	return found
}

// spanned is the text of a span on one line.
func spanned(text string, at config.Pos) string {
	line := []rune(strings.Split(text, "\n")[at.Line-1])
	if at.EndLine != at.Line {
		return string(line[at.Column-1:])
	}
	return string(line[at.Column-1 : at.EndColumn-1])
}
