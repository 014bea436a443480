package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"tbridge"
	"tbridge/bridge"
	"tbridge/demo"
	"tbridge/validate"
)

func (p *program) demoCommand() *cobra.Command {
	stay := false
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Zero to first result: play a task's life through real MCP calls",
		Long: `Start an embedded task tracker, serve its API as MCP tools, and play the life of a task through
real MCP messages and real HTTP requests, printing each. Needs no network and no configuration.`,
		Example: `  tbridge demo            # a few seconds
  tbridge demo --serve    # and the tracker stays, for an agent to work with`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.demo(cmd.Context(), stay) },
	}
	cmd.Flags().BoolVar(&stay, "serve", false, "keep the tracker running until interrupted")
	return cmd
}

func (p *program) demo(ctx context.Context, stay bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	tracker, err := demo.Start(ctx)
	if err != nil {
		return err
	}
	defer tracker.Close()
	b, err := shippedBridge(tracker)
	if err != nil {
		return err
	}
	if err := play(ctx, p.stdout, tracker, b); err != nil {
		return err
	}
	fmt.Fprint(p.stdout, farewell)
	if stay {
		fmt.Fprintf(p.stdout, staying, tracker.URL, tracker.Token)
		<-ctx.Done()
	}
	return nil
}

// shippedBridge is a bridge of the catalogue that the binary carries, which talks to a tracker. Of the
// environment it sees nothing else, so that what it does is the same everywhere.
func shippedBridge(tracker *demo.Server) (*bridge.Bridge, error) {
	file, remove, err := unpackShipped()
	if err != nil {
		return nil, err
	}
	defer remove()
	c, _, err := validate.Load(file)
	if err != nil {
		return nil, err
	}
	env := map[string]string{"TRACKER_URL": tracker.URL, "TRACKER_TOKEN": tracker.Token}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	return bridge.New(c, bridge.Options{Env: lookup, Version: versionOf()})
}

// unpackShipped writes the catalogue that the binary carries into a directory of its own, which remove removes.
func unpackShipped() (file string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "tbridge-demo-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if err := os.CopyFS(dir, tbridge.Catalogue); err != nil {
		remove()
		return "", nil, err
	}
	return filepath.Join(dir, "tbridge.yaml"), remove, nil
}

// orShipped has a command use the catalogue that the binary carries when no tbridge.yaml is named and none is
// here. remove removes what was written for that.
func (p *program) orShipped() (remove func(), err error) {
	if _, err := os.Stat(p.config); p.config != defaultConfig || !errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	p.config, remove, err = unpackShipped()
	return remove, err
}

// scenes are the life of a task: what happens, the tool, and its arguments.
var scenes = []struct{ what, tool, arguments string }{
	{"An agent takes a task", "take_task", `{"task_id":"TE-15"}`},
	{"It plans its work", "add_step", `{"task_id":"TE-15","title":"Написать тест на повторный вход"}`},
	{"One step more", "add_step", `{"task_id":"TE-15","title":"Исправить проверку ссылки"}`},
	{"It finishes a step (the body, always the same, stands in the YAML)", "complete_step", `{"task_id":"TE-15","step_id":"step-3"}`},
	{"It tells the team", "send_message", `{"task_id":"TE-15","content":"Исправлено, прошу проверить","mentions":["anna"]}`},
	{"It hands the task over (only what is given is sent)", "update_task", `{"task_id":"TE-15","status":"in_review"}`},
	{"Another agent wants the task, and learns who has it", "take_task", `{"task_id":"TE-15","agent_slug":"reviewer"}`},
}

// play connects an MCP client to the bridge and makes the calls of the scenes.
func play(ctx context.Context, w io.Writer, tracker *demo.Server, b *bridge.Bridge) error {
	session, end, err := connect(ctx, b)
	if err != nil {
		return err
	}
	defer end()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "A task tracker listens on %s, and tbridge serves %d tools for it:\n", tracker.URL, len(listed.Tools))
	fmt.Fprintln(w, nameTools(listed.Tools))
	asked := make(chan string, len(scenes))
	tracker.Watch(func(line string) { asked <- line })
	defer tracker.Watch(func(string) {}) // nobody listens any more, and the tracker may stay
	for i, s := range scenes {
		fmt.Fprintf(w, "%d. %s\n   %s %s\n", i+1, s.what, s.tool, s.arguments)
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: s.tool, Arguments: json.RawMessage(s.arguments)})
		if err != nil {
			return err
		}
		select {
		case line := <-asked:
			fmt.Fprintf(w, "   → %s\n", line)
		case <-ctx.Done():
			return ctx.Err()
		}
		printResult(w, result)
	}
	return nil
}

// connect serves a bridge over stdio, as serve does, to a client of the SDK. end closes both.
func connect(ctx context.Context, b *bridge.Bridge) (session *mcp.ClientSession, end func(), err error) {
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := b.ServeStdio(ctx, serverIn, serverOut)
		_ = serverIn.CloseWithError(io.ErrClosedPipe)
		_ = serverOut.CloseWithError(io.EOF)
		served <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "tbridge-demo", Version: versionOf()}, nil)
	session, err = client.Connect(ctx, &mcp.IOTransport{Reader: clientIn, Writer: clientOut}, nil)
	if err != nil {
		_ = clientOut.Close()
		return nil, nil, err
	}
	return session, func() { _ = session.Close(); <-served }, nil
}

// nameTools lists the names of tools, a few a line.
func nameTools(tools []*mcp.Tool) string {
	var text strings.Builder
	width := 0
	for _, t := range tools {
		if width += len(t.Name) + 1; text.Len() == 0 || width > 96 {
			text.WriteString("\n  ")
			width = len(t.Name) + 1
		}
		text.WriteString(" " + t.Name)
	}
	return strings.TrimPrefix(text.String(), "\n") + "\n"
}

// printResult prints what the model is given: the text, and the structure of a failure.
func printResult(w io.Writer, r *mcp.CallToolResult) {
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			fmt.Fprintf(w, "   %s\n", strings.ReplaceAll(text.Text, "\n", "\n   "))
		}
	}
	if r.IsError {
		var structure strings.Builder
		e := json.NewEncoder(&structure)
		e.SetEscapeHTML(false)
		e.SetIndent("   ", "  ")
		_ = e.Encode(r.StructuredContent) // came as JSON
		fmt.Fprintf(w, "   %s", structure.String())
	}
	fmt.Fprintln(w)
}

const farewell = `Not one line of Go knows these tools: they stand in tools.d, about ten lines of YAML each.

Connect an agent to a tracker of its own (first: go install ./cmd/tbridge):
  Claude Code     claude mcp add team-board -- tbridge serve --demo
  Codex           codex mcp add team-board -- tbridge serve --demo
  any MCP client  {"mcpServers": {"team-board": {"command": "tbridge", "args": ["serve", "--demo"]}}}

Next:
  tbridge list                        what the tools are and what they cost a model's context
  tbridge validate examples/stripe    check a bridge directory
`

const staying = `
The tracker stays until you press Ctrl-C. Whoever serves tools for it needs:
  export TRACKER_URL=%s
  export TRACKER_TOKEN=%s
`
