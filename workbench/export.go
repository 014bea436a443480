package workbench

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"tbridge/bridge"
	"tbridge/config"
)

type exported struct {
	Text string `json:"text"`
}

// export gives a saved tool as another system wants it.
func (w *Workbench) export(r *http.Request) (exported, error) {
	v, err := w.view("", "")
	if err != nil {
		return exported{}, err
	}
	name, format := r.PathValue("tool"), r.URL.Query().Get("format")
	i := slices.IndexFunc(v.c.Tools, func(t *config.Tool) bool { return t.Name == name })
	if i < 0 {
		return exported{}, failf(http.StatusNotFound, "not_found", "there is no tool %q", name)
	}
	if format == "prompt" {
		return exported{bridge.Prompt(v.c.Tools[i])}, nil
	}
	to, ok := bridge.Exports[format]
	if !ok {
		return exported{}, failf(http.StatusBadRequest, "bad_request", "there is no format %q", format).
			hinted("use prompt, " + strings.Join(slices.Sorted(maps.Keys(bridge.Exports)), ", "))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(to(v.c.Tools[i]))
	return exported{b.String()}, err
}
