package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

func (p *program) callCommand() *cobra.Command {
	var o callOptions
	cmd := &cobra.Command{
		Use:   "call TOOL [key=value... | '{json}' | -]",
		Short: "Call a tool once",
		Long: `Call a tool once, and print the text of its result.
A value is read as the type of its argument: zip=0123 stays text. owner.name=x sets a
member of an object; a list is given by repeating its key, or as JSON.`,
		Example: `  tbridge call get_task task_id=TE-15
  tbridge call create_task '{"project_slug": "demo", "title": "Write docs"}'
  tbridge call take_task task_id=TE-15 agent_slug=coder --dry-run
  tbridge call download_file attachment_id=7 --output report.pdf`,
		Args: namesTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.open()
			if err != nil {
				return err
			}
			t, err := tool(c, args[0])
			if err != nil {
				return err
			}
			arguments, err := readArguments(t, args[1:], p.stdin)
			if err != nil {
				return err
			}
			if err := auto(p.stderr)(p.stderr, validate.Secrets(c, nil), nil); err != nil {
				return err
			}
			b, err := bridge.New(c, bridge.Options{Version: versionOf()})
			if err != nil {
				return err
			}
			if o.dryRun || o.curl {
				return p.preview(b, t.Name, arguments, o.curl)
			}
			if o.asTest {
				return p.asTest(cmd.Context(), b, c, t, arguments)
			}
			return p.call(cmd.Context(), b, t.Name, arguments, o)
		},
		ValidArgsFunction: p.completeCall,
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print the whole result as JSON")
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "write the result's binary content to this `FILE`")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the request, secrets as their sources; send nothing")
	cmd.Flags().BoolVar(&o.curl, "curl", false, "print a curl command, secrets as $NAMES; send nothing")
	cmd.Flags().BoolVar(&o.asTest, "as-test", false, "make the call and print it as a test, to put beside the tool")
	cmd.PreRunE = excludeEachOther([]string{"json", "dry-run", "curl", "as-test"}, []string{"output", "dry-run", "curl", "as-test"})
	return cmd
}

// namesTool says what is missing when no tool is named.
func namesTool(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return &adviceError{"name a tool", `"tbridge list" lists the tools`}
	}
	return nil
}

type callOptions struct {
	asJSON, dryRun, curl, asTest bool
	output                       string
}

// preview prints the request of a call.
func (p *program) preview(b *bridge.Bridge, name string, arguments []byte, curl bool) error {
	request, err := b.Preview(name, arguments)
	if err != nil {
		fmt.Fprintf(p.stderr, "error: %s\n", err)
		return exitCode(exitFound)
	}
	text := requestText(request)
	if curl {
		var reads []string
		if text, reads = request.Curl(); len(reads) > 0 {
			fmt.Fprintf(p.stderr, "note: curl reads the content from files of the current directory: %s\n", strings.Join(reads, ", "))
		}
	}
	_, err = fmt.Fprintln(p.stdout, text)
	return err
}

// requestText writes a request as it goes over the wire, but for its secrets and binary parts.
func requestText(p *bridge.Preview) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", p.Method, p.URL)
	for _, h := range p.Header {
		fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Value)
	}
	if p.Body != "" {
		b.WriteString("\n" + p.Body + "\n")
	}
	for _, part := range p.Parts {
		switch {
		case part.Filename == "":
			fmt.Fprintf(&b, "\n%s: %s\n", part.Name, part.Text)
		default:
			fmt.Fprintf(&b, "\n%s: %s, %s, %s\n", part.Name, part.Filename, part.MediaType, count(int(part.Size), "byte"))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// call makes the call and prints its result.
func (p *program) call(ctx context.Context, b *bridge.Bridge, name string, arguments []byte, o callOptions) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	r, _ := b.Call(ctx, name, arguments)
	if err := p.printResult(r, o); err != nil {
		return err
	}
	if r.IsError {
		return exitCode(exitFound)
	}
	return nil
}

func (p *program) printResult(r *bridge.Result, o callOptions) error {
	if o.output != "" && !r.IsError {
		return writeContent(o.output, r)
	}
	if o.asJSON {
		text, err := r.MarshalJSON()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.stdout, "%s\n", text)
		return err
	}
	for _, c := range r.Content {
		if c.Type == "text" {
			fmt.Fprintln(p.stdout, c.Text)
			continue
		}
		fmt.Fprintf(p.stderr, "note: %s, %s, %s; --output FILE writes it\n", c.Type, c.MediaType, count(len(c.Data), "byte"))
	}
	return nil
}

// writeContent writes the first binary content of a result to a file, or its text when it has none.
func writeContent(path string, r *bridge.Result) error {
	data := []byte(r.Text())
	for _, c := range r.Content {
		if c.Type != "text" {
			data = c.Data
			break
		}
	}
	return os.WriteFile(path, data, 0o666)
}

// completeCall completes the name of a tool, then those of its arguments.
func (p *program) completeCall(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return p.completeTool(cmd, args, toComplete)
	}
	c := p.quietly()
	if c == nil {
		return nil, cobra.ShellCompDirectiveError
	}
	t, err := tool(c, args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, a := range t.Arguments {
		words = append(words, a.Name+"=\t"+a.Description)
	}
	return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completeTool completes the name of a tool.
func (p *program) completeTool(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c := p.quietly()
	if c == nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, t := range c.Tools {
		words = append(words, t.Name+"\t"+t.Title)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// quietly loads what can be loaded for a completion, which has nobody to talk to.
func (p *program) quietly() *config.Catalog {
	c, _, err := config.Load(p.config)
	if err != nil {
		return nil
	}
	return c
}
