package workbench

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"tbridge/bridge"
)

type exported struct {
	Text string `json:"text"`
}

// export gives a tool of a draft as another system wants it.
func (w *Workbench) export(_ context.Context, q struct {
	draft
	Tool   string `json:"tool"`
	Format string `json:"format"`
}) (exported, error) {
	_, t, err := w.sound(q.draft, q.Tool)
	if err != nil {
		return exported{}, err
	}
	if q.Format == "prompt" {
		return exported{bridge.Prompt(t)}, nil
	}
	to, ok := bridge.Exports[q.Format]
	if !ok {
		return exported{}, failf(http.StatusBadRequest, "bad_request", "there is no format %q", q.Format).
			hinted("use prompt, " + strings.Join(slices.Sorted(maps.Keys(bridge.Exports)), ", "))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(to(t))
	return exported{b.String()}, err
}
