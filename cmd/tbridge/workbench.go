package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/demo"
	"tbridge/workbench"
	"tbridge/workbench/ui"
)

func (p *program) workbenchCommand() *cobra.Command {
	address, withDemo := "127.0.0.1:0", false
	cmd := &cobra.Command{
		Use:   "workbench",
		Short: "Edit the tools in a web page on this machine",
		Long: `Serve a page that edits the tools files: a form and its YAML side by side, what is wrong while you
type, what a model will see, and a try of each call. The address that is printed holds a token that
is good for this launch; nothing else can use the page. Runs beside serve on the same directory.`,
		Example: `  tbridge workbench
  tbridge workbench --http 127.0.0.1:8088
  tbridge workbench --demo              # calls that are tried go to an embedded tracker`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.workbench(cmd.Context(), address, withDemo) },
	}
	cmd.Flags().StringVar(&address, "http", address, "`ADDRESS` to listen on: loopback only, port 0 for a free one")
	cmd.Flags().BoolVar(&withDemo, "demo", false, "run the embedded tracker, as $TRACKER_URL and $TRACKER_TOKEN")
	return cmd
}

// workbench serves the page until it is interrupted.
func (p *program) workbench(ctx context.Context, address string, withDemo bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	env := config.Lookup(os.LookupEnv)
	if withDemo {
		remove, err := p.orShipped()
		if err != nil {
			return err
		}
		defer remove()
		tracker, err := demo.Start(ctx)
		if err != nil {
			return err
		}
		defer tracker.Close()
		env = demoEnv(tracker)
	}
	log, err := p.newLog("warn", "text")
	if err != nil {
		return err
	}
	state, err := workbench.StateDirectory()
	if err != nil {
		log.Warn("no history is kept: " + err.Error())
	}
	token := workbench.NewToken()
	w, err := workbench.New(workbench.Options{Config: p.config, Token: token, State: state, Page: ui.Files, Log: log,
		Bridge: bridge.Options{Env: env, Version: versionOf()}})
	if err != nil {
		return unreadable(p.config, err)
	}
	defer w.Close() //nolint:errcheck // only read from
	listener, err := listenLoopback(address)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "http://%s/#token=%s\n", listener.Addr(), token)
	fmt.Fprintln(p.stderr, "The workbench is open at this address until you press Ctrl-C.")
	return serveUntil(ctx, listener, w)
}

// listenLoopback listens on an address of this machine that no other machine reaches.
func listenLoopback(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &adviceError{fmt.Sprintf("%q is no address", address), "write HOST:PORT, as 127.0.0.1:8088"}
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if host != "127.0.0.1" && host != "::1" {
		return nil, &adviceError{fmt.Sprintf("the workbench cannot listen on %q: it serves this machine alone", address),
			"use 127.0.0.1 or [::1]; from elsewhere, forward the port with ssh -L"}
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// serveUntil serves until the context ends; requests in flight have a moment to end then.
func serveUntil(ctx context.Context, listener net.Listener, h http.Handler) error {
	requests, cancel := context.WithCancel(context.Background())
	defer cancel()
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return requests }}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	cancel() // streams of events end, and calls that are tried
	shutdown, end := context.WithTimeout(context.Background(), 5*time.Second)
	defer end()
	err := server.Shutdown(shutdown)
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		return served
	}
	return err
}
