package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tbridge/config"
)

// The exit codes of every command. 0 is fine.
const (
	exitFound = 1 // problems were found, or the tool answered with an error
	exitUsage = 2 // the command could not run
)

// defaultConfig is where a bridge directory begins, when nothing else is named.
const defaultConfig = "tbridge.yaml"

// A program is what all commands share: the streams, and the flag that all have.
type program struct {
	stdin  io.Reader
	stdout io.Writer // data
	stderr io.Writer // talk
	config string    // path of tbridge.yaml
	lines  *logLines // of the log; nil: there is none
}

// run runs one command line and gives its exit code. It reads and writes the streams given and the
// environment; ctx ends it early.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr}
	root := p.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if p.lines != nil {
		defer p.lines.close()
		stderr = p.lines
	}
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	fmt.Fprintf(stderr, "error: %s\n", err)
	if e, ok := errors.AsType[*adviceError](err); ok {
		fmt.Fprintf(stderr, "hint: %s\n", e.hint)
	}
	return exitUsage
}

// An exitCode ends a command that has said all there was to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// An adviceError is an error with what to do about it. Its voice is that of all messages: lower case, no full
// stop, what was given in quotes; the hint says what to do.
type adviceError struct{ message, hint string }

func (e *adviceError) Error() string { return e.message }

// unknown is the error of a name that is not there.
func unknown(kind, name string, known []string, otherwise string) error {
	e := &adviceError{message: fmt.Sprintf("unknown %s %q", kind, name), hint: otherwise}
	if nearest := config.Nearest(name, known); nearest != "" {
		e.hint = fmt.Sprintf("did you mean %q?", nearest)
	}
	return e
}

// namesShell says which shells there are.
func namesShell(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknown("shell", args[0], commandNames(cmd), "use "+strings.Join(commandNames(cmd), ", "))
}

// noArguments refuses what a command has no use for.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &adviceError{fmt.Sprintf("%s takes no arguments, and was given %q", cmd.Name(), args[0]), fmt.Sprintf("\"%s --help\" shows what it takes", cmd.CommandPath())}
}

// excludeEachOther refuses two flags of one group.
func excludeEachOther(groups ...[]string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		for _, group := range groups {
			given := slices.DeleteFunc(slices.Clone(group), func(name string) bool { return !cmd.Flags().Changed(name) })
			if len(given) > 1 {
				return &adviceError{fmt.Sprintf("--%s and --%s exclude each other", given[0], given[1]), "leave one out"}
			}
		}
		return nil
	}
}

// helpCommand is help as a command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show what a command does",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknown("command", args[len(args)-max(1, len(rest))], commandNames(cmp.Or(cmd, root)), `"tbridge --help" lists the commands`)
			}
			return cmd.Help()
		},
	}
}

// help begins with examples. It is no template: text/template makes the linker keep every method there is, which adds
// megabytes to the program.
func help(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	for _, paragraph := range []string{cmd.Example, cmp.Or(cmd.Long, cmd.Short)} {
		if paragraph != "" {
			fmt.Fprintf(w, "%s\n\n", paragraph)
		}
	}
	fmt.Fprintf(w, "Usage: %s\n", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nCommands:")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(w, "\n  %-*s %s", c.NamePadding(), c.Name(), c.Short)
			}
		}
		fmt.Fprintln(w)
	}
	if cmd.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s\n", strings.TrimRight(cmd.Flags().FlagUsages(), " \n"))
	}
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "tbridge COMMAND",
		Short: "tbridge serves HTTP APIs, described in YAML, as MCP tools.",
		Example: `  tbridge demo                          # zero to first result
  tbridge init my-bridge                # a directory to start from
  tbridge validate                      # check tbridge.yaml and tools.d
  tbridge call get_task task_id=TE-15   # one real call
  tbridge serve                         # MCP on stdin and stdout`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknown("command", args[0], commandNames(cmd), `"tbridge --help" lists the commands`)
		},
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout) // before the command of completions is made, which keeps it
	root.SetErr(p.stderr)
	root.PersistentFlags().StringVar(&p.config, "config", cmp.Or(os.Getenv("TBRIDGE_CONFIG"), defaultConfig),
		"path of tbridge.yaml (or $TBRIDGE_CONFIG)")
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	root.SetHelpFunc(help)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand(root))
	root.AddCommand(p.demoCommand(), p.serveCommand(), p.validateCommand(), p.explainCommand(), p.schemaCommand(), p.initCommand(), p.testCommand(), p.diffCommand(), p.listCommand(), p.showCommand(), p.callCommand(), p.workbenchCommand(), versionCommand())
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = cobra.ArbitraryArgs, namesShell
		}
	}
	return root
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagError gives the nearest flag for one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	return unknown("flag", "--"+strings.TrimLeft(e.GetSpecifiedName(), "-"), known, fmt.Sprintf("%q lists the flags", cmd.CommandPath()+" --help"))
}
