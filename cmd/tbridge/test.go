package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"tbridge/bridge"
	"tbridge/config"
)

// testFormats print what came of tests.
var testFormats = map[string]func(w io.Writer, ran *testRun) error{
	"text":  testText,
	"json":  testJSON,
	"junit": testJUnit,
}

func (p *program) testCommand() *cobra.Command {
	format, pattern, update := "text", "", false
	cmd := &cobra.Command{
		Use:   "test [TOOL...]",
		Short: "Run the tests that stand beside the tools, without network and secrets",
		Long: `Run the tests that stand beside the tools: all of them, or those of some TOOLs. Nothing is
sent, and no secret is needed: the answer of each test goes through the code that reads real
ones. Exit code 1: a test failed, or a file is faulty. 2: the tests could not run.`,
		Example: `  tbridge test
  tbridge test take_task --run 'taken'
  tbridge test --format junit > tests.xml`,
		RunE: func(_ *cobra.Command, names []string) error {
			show, ok := testFormats[format]
			if !ok {
				return unknownFormat(format, testFormats)
			}
			only, err := regexp.Compile(pattern)
			if err != nil {
				return &adviceError{fmt.Sprintf("--run %q is no regular expression", pattern), "it is matched against TOOL/TEST, in the syntax of RE2"}
			}
			c, faulty, err := p.load()
			if err != nil {
				return err
			}
			if err := auto(p.stderr)(p.stderr, faulty, nil); err != nil {
				return err
			}
			ran, err := runTests(c, names, only)
			if err != nil {
				return err
			}
			if update {
				return p.update(c, ran)
			}
			if err := show(p.stdout, ran); err != nil {
				return err
			}
			if format == "text" {
				fmt.Fprintln(p.stderr, ran.summary())
			}
			if ran.failed > 0 || len(faulty) > 0 {
				return exitCode(exitFound)
			}
			return nil
		},
		ValidArgsFunction: p.completeTool,
	}
	formatFlag(cmd, &format, testFormats)
	cmd.Flags().StringVar(&pattern, "run", "", "run only the tests whose TOOL/TEST matches this `REGEXP`")
	cmd.Flags().BoolVar(&update, "update", false, "write what came into the tests that failed, or that expect nothing")
	cmd.PreRunE = excludeEachOther([]string{"update", "format"})
	return cmd
}

// update has the tests expect what came.
func (p *program) update(c *config.Catalog, ran *testRun) error {
	updated, left, err := updateTests(p.stderr, c, ran)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "%s of %s updated\n", count(updated, "test"), thousands(len(ran.reports)))
	if left > 0 {
		return exitCode(exitFound)
	}
	return nil
}

// A testRun is what came of the tests of a catalogue, in its order.
type testRun struct {
	reports  []*bridge.TestReport
	tests    []*config.Test // of the reports
	failed   int
	tools    int      // that have tests
	untested []string // tools that have none
}

// runTests runs the tests of the tools named, or of all, that only lets through.
func runTests(c *config.Catalog, names []string, only *regexp.Regexp) (*testRun, error) {
	tools := c.Tools
	if len(names) > 0 {
		tools = nil
		for _, name := range names {
			t, err := tool(c, name)
			if err != nil {
				return nil, err
			}
			tools = append(tools, t)
		}
	}
	tester, err := bridge.NewTester(c)
	if err != nil {
		return nil, err
	}
	ran := &testRun{}
	var jobs []func()
	for _, t := range tools {
		if len(t.Tests) == 0 {
			ran.untested = append(ran.untested, t.Name)
		}
		before := len(jobs)
		for _, test := range t.Tests {
			if !only.MatchString(t.Name + "/" + test.Name) {
				continue
			}
			i := len(jobs)
			jobs = append(jobs, func() { ran.reports[i] = tester.Run(t.Name, test) })
			ran.tests = append(ran.tests, test)
		}
		if len(jobs) > before {
			ran.tools++
		}
	}
	if len(jobs) == 0 && only.String() != "" {
		return nil, &adviceError{fmt.Sprintf("no test matches %q", only), "--run is matched against TOOL/TEST"}
	}
	ran.reports = make([]*bridge.TestReport, len(jobs))
	atOnce(jobs)
	for _, r := range ran.reports {
		if !r.Passed() {
			ran.failed++
		}
	}
	return ran, nil
}

// atOnce runs jobs on all processors.
func atOnce(jobs []func()) {
	var wait sync.WaitGroup
	next := make(chan func())
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		wait.Go(func() {
			for job := range next {
				job()
			}
		})
	}
	for _, job := range jobs {
		next <- job
	}
	close(next)
	wait.Wait()
}

// summary counts the tests, in words.
func (r *testRun) summary() string {
	text := fmt.Sprintf("%s of %s passed", count(len(r.reports), "test"), count(r.tools, "tool"))
	switch {
	case len(r.reports) == 0:
		text = "no tests"
	case r.failed > 0:
		text = fmt.Sprintf("%s of %s failed", thousands(r.failed), count(len(r.reports), "test"))
	}
	if n := len(r.untested); n > 0 {
		text += fmt.Sprintf("; %s without tests", count(n, "tool"))
	}
	return text
}
