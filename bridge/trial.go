package bridge

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// A Trial is one call with what passed between its arguments and its result. Secrets are masked in all of it.
type Trial struct {
	Arguments json.RawMessage // as they were given
	Request   *Preview        // nil: the arguments were refused
	Response  *Answer         // nil: nothing was sent, or no answer came
	Result    *Result
}

// An Answer is what an API answered: what the bridge made the Result of.
type Answer struct {
	Status    int
	Header    []Field // sorted by name
	MediaType string
	Body      string // unpacked and in UTF-8, its beginning when it is long; of bytes that are no text the bytes
	Text      bool   // whether Body is text
	Truncated bool   // whether Body is only the beginning, or could not be read to its end
}

// Try calls a tool as Call does, and tells what passed on the way.
func (b *Bridge) Try(ctx context.Context, name string, arguments json.RawMessage) (t *Trial, found bool) {
	t = &Trial{Arguments: b.masks.json(arguments)}
	t.Result, found = b.call(ctx, name, &call{trial: t}, arguments)
	return t, found
}

// sends notes the request that is about to be sent. On no trial it does nothing.
func (t *Trial) sends(a *api, c *call, r *request) {
	if t != nil {
		t.Request, _ = a.preview(c, r) // what cannot be shown cannot be sent either, and sending says why
	}
}

// receives notes an answer. On no trial it does nothing.
func (t *Trial) receives(m *masks, resp *http.Response, raw string, broken bool) {
	if t == nil {
		return
	}
	d := tellApart(resp.Header, raw, false)
	a := &Answer{Status: resp.StatusCode, MediaType: m.text(d.media), Body: m.document(d), Text: d.text != "" || raw == "", Truncated: broken}
	if len(a.Body) > maxShown {
		if a.Body, a.Truncated = a.Body[:maxShown], true; a.Text {
			a.Body = strings.ToValidUTF8(a.Body, "")
		}
	}
	for name, values := range resp.Header {
		for _, v := range values {
			a.Header = append(a.Header, Field{name, m.text(clean(v, false))})
		}
	}
	slices.SortStableFunc(a.Header, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	t.Response = a
}

// Digest stands for the request: the same for every preview of one call, though each has a {call.id} and a
// boundary of its own. The contents of files beyond what is shown of them are not in it.
func (p *Preview) Digest() string {
	shown, _ := json.Marshal(p) // strings and numbers always can be
	text := string(shown)
	for _, f := range p.Header {
		if _, params, err := mime.ParseMediaType(f.Value); err == nil && params["boundary"] != "" {
			text = strings.ReplaceAll(text, params["boundary"], "{boundary}")
		}
	}
	if p.callID != "" {
		text = strings.ReplaceAll(text, p.callID, "{call.id}")
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
