package bridge

import (
	"context"
	"net/http"

	"tbridge/config"
)

// Each of these moves to the file of its owner.

// upstream side: api.go and the files beside it
type api struct {
	masks   *masks
	options Options
}
type masks struct{}

func newMasks() *masks                                          { panic("to be built") }
func (m *masks) add(secrets ...string)                          { panic("to be built") }
func (m *masks) text(s string) string                           { panic("to be built") }
func (m *masks) json(b []byte) []byte                           { panic("to be built") }
func newAPI(def *config.API, o Options, m *masks) (*api, error) { panic("to be built") }
func (a *api) send(ctx context.Context, t *tool, r *request) (*http.Response, *Error) {
	panic("to be built")
}
func (a *api) preview(r *request) (*Preview, error)              { panic("to be built") }
func (a *api) interrupted(ctx context.Context, err error) *Error { panic("to be built") } // why reading an answer ended early

// Preview is a rendered request, secrets shown as their sources.
type Preview struct{}
