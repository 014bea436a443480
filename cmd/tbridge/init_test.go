package main

import (
	"bytes"
	"strings"
	"testing"

	"tbridge/demo"
)

// The tools of a new directory work against the demo's tracker.
func TestInitCalls(t *testing.T) {
	tracker, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tracker.Close()
	t.Setenv("TRACKER_URL", tracker.URL)
	t.Setenv("TRACKER_TOKEN", tracker.Token)
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ command, want string }{
		{"init", "made tbridge.yaml\n"},
		{"call get_task task_id=TE-15", "TE-15: "},
		{"call list_tasks status=todo", "- TE-15: "},
		{"call take_task task_id=TE-15 agent_slug=coder", "✅ Task TE-15 taken\n"},
	} {
		var out, talk bytes.Buffer
		if code := run(t.Context(), strings.Fields(tt.command), strings.NewReader(""), &out, &talk); code != 0 || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: exit code %d\n%s%s", tt.command, code, out.String(), talk.String())
		}
	}
}
