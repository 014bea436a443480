package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/demo"
	"tbridge/validate"
)

func (p *program) serveCommand() *cobra.Command {
	o := serveOptions{logLevel: "info", logFormat: "text"}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the tools to MCP clients, on stdin and stdout or over HTTP",
		Long: `Serve the tools to an MCP client on stdin and stdout. The log goes to stderr.
SIGHUP reads the bridge directory again. SIGTERM and SIGINT end it when the calls in flight
are answered; a second one ends it at once.`,
		Example: `  tbridge serve
  tbridge serve --config team/tbridge.yaml --tags tasks,chat
  tbridge serve --read-only            # only tools that change nothing
  tbridge serve --demo                 # against an embedded tracker`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.tags, "tags", nil, "only tools with one of these `TAGS`")
	f.StringSliceVar(&o.only, "only", nil, "only tools whose name matches one of these `GLOBS`")
	f.BoolVar(&o.readOnly, "read-only", false, "only tools that change nothing")
	f.BoolVar(&o.strict, "strict", false, "refuse to start when a tools file is faulty")
	f.BoolVar(&o.demo, "demo", false, "run the embedded tracker, as $TRACKER_URL and $TRACKER_TOKEN")
	f.StringVar(&o.http, "http", "", "serve a team over HTTP at this `ADDRESS`, as server.http of tbridge.yaml admits it")
	f.StringVar(&o.metrics, "metrics", "", "serve /metrics at this `ADDRESS` (default: beside /mcp on a loopback address, else not at all)")
	f.StringVar(&o.logLevel, "log-level", o.logLevel, "debug, info, warn, error")
	f.StringVar(&o.logFormat, "log-format", o.logFormat, "text, json")
	_ = cmd.RegisterFlagCompletionFunc("log-level", cobra.FixedCompletions([]string{"debug", "info", "warn", "error"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("log-format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

type serveOptions struct {
	tags, only             []string
	readOnly, strict, demo bool
	logLevel, logFormat    string
	http, metrics          string // addresses; empty: stdin and stdout, no metrics
}

// serve serves until the client has no more requests, or a signal comes.
func (p *program) serve(ctx context.Context, o serveOptions) error {
	log, err := p.newLog(o.logLevel, o.logFormat)
	if err != nil {
		return err
	}
	if o.metrics != "" && o.http == "" {
		return &adviceError{"--metrics goes with --http", "leave it out: over stdin and stdout nothing is counted"}
	}
	for _, glob := range o.only {
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("--only %q is no pattern: %w", glob, err)
		}
	}
	if o.demo {
		remove, err := p.orShipped()
		if err != nil {
			return err
		}
		defer remove()
	}
	c, left, err := p.load()
	if err != nil {
		return err
	}
	if o.strict && len(left) > 0 {
		if err := auto(p.stderr)(p.stderr, left, nil); err != nil {
			return err
		}
		return exitCode(exitUsage)
	}
	logFaults(log, left)
	env := config.Lookup(os.LookupEnv)
	if o.demo {
		tracker, err := demo.Start(ctx)
		if err != nil {
			return err
		}
		defer tracker.Close()
		env = demoEnv(tracker)
	}
	spans := startSpans(env, log)
	defer spans.close()
	options := bridge.Options{Span: spans.sink(), Log: log, Env: env, Version: versionOf(), Tags: o.tags, Only: o.only, ReadOnly: o.readOnly}
	var l listeners
	if o.http != "" {
		if l, err = listen(o); err != nil {
			return err
		}
		defer l.close()
		options.HTTP = l.options()
	}
	b, err := bridge.New(c, options)
	if err != nil {
		return noAuth(err, o.http)
	}
	b.Degraded(filesOf(left)...)
	logSecrets(log, c, env)
	warnOfNothing(log, c, o)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // most of what a call allocates is gone with it: twice the calls for some memory
	}
	r := &reloader{path: p.config, bridge: b, log: log, env: env, last: c, sum: c.Sum}
	defer r.start()()
	if o.http != "" {
		return p.serveHTTP(ctx, b, l, log)
	}
	return p.serveStdio(ctx, b)
}

// serveStdio serves one client. The first SIGTERM or SIGINT lets the calls in flight end, the second does not wait.
func (p *program) serveStdio(ctx context.Context, b *bridge.Bridge) error {
	signal.Ignore(syscall.SIGPIPE) // a client that is gone is an error of a write
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	ctx, drain := context.WithCancel(ctx)
	defer drain()
	done := make(chan error, 1)
	go func() { done <- b.ServeStdio(ctx, p.stdin, p.stdout) }()
	for {
		select {
		case err := <-done:
			return err
		case s := <-signals:
			if ctx.Err() != nil {
				return exitCode(128 + int(s.(syscall.Signal)))
			}
			drain()
		}
	}
}

// demoEnv is the environment with the embedded tracker in it.
func demoEnv(tracker *demo.Server) config.Lookup {
	return func(name string) (string, bool) {
		switch name {
		case "TRACKER_URL":
			return tracker.URL, true
		case "TRACKER_TOKEN":
			return tracker.Token, true
		}
		return os.LookupEnv(name)
	}
}

// logSecrets warns of secrets that are too short to be masked.
func logSecrets(log *slog.Logger, c *config.Catalog, env config.Lookup) {
	for _, d := range validate.Secrets(c, env) {
		log.Warn(advised(d), "at", d.Pos.String(), "rule", d.Rule)
	}
}

// logFaults logs why tools files are left out.
func logFaults(log *slog.Logger, ds config.Diagnostics) {
	for _, d := range ds {
		log.Error("tools file left out: "+advised(d), "at", d.Pos.String(), "rule", d.Rule)
	}
}

// warnOfNothing warns of a tag and of a pattern that choose no tool.
func warnOfNothing(log *slog.Logger, c *config.Catalog, o serveOptions) {
	for _, tag := range o.tags {
		if !slices.ContainsFunc(c.Tools, func(t *config.Tool) bool { return slices.Contains(t.Tags, tag) }) {
			log.Warn("--tags: no tool has this tag", "tag", tag)
		}
	}
	for _, pattern := range o.only {
		matches := func(t *config.Tool) bool {
			ok, err := path.Match(pattern, t.Name)
			return ok && err == nil
		}
		if !slices.ContainsFunc(c.Tools, matches) {
			log.Warn("--only: no tool has a name like this", "pattern", pattern)
		}
	}
}
