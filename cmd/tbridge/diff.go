package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tbridge/config"
	"tbridge/diff"
	"tbridge/validate"
)

var diffFormats = map[string]func(w io.Writer, changes []diff.Change) error{
	"text":     diffText,
	"json":     diffJSON,
	"markdown": diffMarkdown,
}

func (p *program) diffCommand() *cobra.Command {
	format, exit := "text", false
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what a change means for the models that use the tools",
		Long: `Say what a change means for the models that use the tools: what they see that is new, and what
of what they do now will fail. OLD and NEW are bridge directories, or git revisions: REV for
the directory of --config as it was there, REV:DIR for another one.`,
		Example: `  tbridge diff main .
  tbridge diff v1.2:bridge bridge --format markdown > comment.md
  tbridge diff HEAD . --exit-code       # 1 when something breaks`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &adviceError{"name two directories or revisions", `"tbridge diff main ." compares the branch main with what is here`}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			show, ok := diffFormats[format]
			if !ok {
				return unknownFormat(format, diffFormats)
			}
			before, err := p.edition(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			after, err := p.edition(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			changes := diff.Catalogs(before.catalog, after.catalog)
			for i := range changes {
				changes[i].Pos.File = before.named(after.named(changes[i].Pos.File))
			}
			diff.Sort(changes)
			if err := show(p.stdout, changes); err != nil {
				return err
			}
			if exit && diff.Count(changes, diff.Breaking) > 0 {
				return exitCode(exitFound)
			}
			return nil
		},
	}
	formatFlag(cmd, &format, diffFormats)
	cmd.Flags().BoolVar(&exit, "exit-code", false, "end with exit code 1 when something breaks")
	return cmd
}

// An edition is a bridge directory as it is, or as it was in a revision.
type edition struct {
	catalog *config.Catalog
	dir     string // a temporary one; empty: the directory itself is read
	name    string // what stands for dir in messages
}

// named gives the path of a file as those know it who named the edition.
func (v *edition) named(file string) string {
	if rest, below := strings.CutPrefix(file, v.dir+string(filepath.Separator)); below && v.dir != "" {
		return v.name + filepath.ToSlash(rest)
	}
	return file
}

// edition loads a bridge directory, or one of a revision. One that is faulty cannot be compared.
func (p *program) edition(ctx context.Context, spec string) (*edition, error) {
	v := &edition{}
	file := spec
	switch info, err := os.Stat(spec); {
	case err == nil && info.IsDir():
		file = filepath.Join(spec, filepath.Base(p.config))
	case err != nil:
		if v.dir, err = os.MkdirTemp("", "tbridge-diff-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(v.dir)
		rev, dir, given := strings.Cut(spec, ":")
		if !given {
			dir = "./" + filepath.ToSlash(filepath.Dir(p.config))
		}
		v.name = rev + ":" + strings.TrimPrefix(path.Clean(dir)+"/", "./")
		if err := checkOut(ctx, rev, dir, v.dir); err != nil {
			return nil, &adviceError{fmt.Sprintf("%q is no directory, and git cannot read it: %s", spec, err),
				"name a bridge directory, or a revision of the git repository here: REV, or REV:DIR for a directory below its root"}
		}
		file = filepath.Join(v.dir, filepath.Base(p.config))
	}
	c, ds, err := validate.Load(file)
	if err != nil {
		return nil, unreadable(v.named(file), err)
	}
	if ds.Count(config.Error) > 0 {
		var faults config.Diagnostics
		for _, d := range ds {
			if d.Severity == config.Error {
				d.File = v.named(d.File)
				faults = append(faults, d)
			}
		}
		if err := compact(p.stderr, faults, nil); err != nil {
			return nil, err
		}
		return nil, exitCode(exitUsage)
	}
	v.catalog = c
	return v, nil
}

// checkOut writes the YAML files of a directory as it was in a revision of the git repository here. As git has it, the
// directory is one below the root, or with ./ one below the current directory.
func checkOut(ctx context.Context, rev, from, to string) error {
	if strings.HasPrefix(rev, "-") {
		return errors.New("a revision does not begin with -")
	}
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if strings.HasPrefix(from, "./") || strings.HasPrefix(from, "../") {
		prefix, err := git(ctx, ".", "rev-parse", "--show-prefix")
		if err != nil {
			return err
		}
		from = path.Join(strings.TrimSpace(prefix), from)
	}
	if from = path.Clean(from); from == "." {
		from = ""
	}
	// From the root, because below it git archive takes a path for one below the tree.
	out, err := git(ctx, strings.TrimRight(root, "\r\n"), "archive", "--format=tar", rev+":"+from)
	if err != nil {
		return err
	}
	for files := tar.NewReader(strings.NewReader(out)); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		ext := filepath.Ext(h.Name)
		if h.Typeflag != tar.TypeReg || ext != ".yaml" && ext != ".yml" || !filepath.IsLocal(h.Name) {
			continue
		}
		if err := writeBelow(to, h.Name, files); err != nil {
			return err
		}
	}
}

// git gives what git prints. Its error is what git says.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	var out, talk bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &talk
	err := cmd.Run()
	if said, _, _ := strings.Cut(strings.TrimSpace(talk.String()), "\n"); err != nil && said != "" {
		err = errors.New(said)
	}
	return out.String(), err
}

func writeBelow(dir, name string, r io.Reader) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// subject is what a change is about: a tool and an argument, or a key of tbridge.yaml.
func subject(c diff.Change) string {
	if c.Tool == "" || c.Path == "" {
		return c.Tool + c.Path
	}
	return c.Tool + " " + c.Path
}

// turned says what was and what is.
func turned(c diff.Change, quote string) string {
	switch {
	case c.Old == "" && c.New == "":
		return ""
	case c.Old == "":
		return quote + c.New + quote
	case c.New == "":
		return "was " + quote + c.Old + quote
	}
	return quote + c.Old + quote + " → " + quote + c.New + quote
}

func diffText(w io.Writer, changes []diff.Change) error {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%-8s  %s: %s", c.Level, subject(c), c.What)
		if text := turned(c, ""); text != "" && text != c.Tool && text != "was "+c.Tool {
			b.WriteString(": " + text)
		}
		if c.Reason != "" {
			b.WriteString(" (" + c.Reason + ")")
		}
		b.WriteByte('\n')
	}
	b.WriteString(diffSummary(changes) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func diffSummary(changes []diff.Change) string {
	if len(changes) == 0 {
		return "nothing changed"
	}
	return fmt.Sprintf("%d breaking, %d safe, %s of the request alone", diff.Count(changes, diff.Breaking), diff.Count(changes, diff.Safe),
		count(diff.Count(changes, diff.Request), "change"))
}

func diffJSON(w io.Writer, changes []diff.Change) error {
	type entry struct {
		Level  string `json:"level"`
		Tool   string `json:"tool"`
		What   string `json:"what"`
		Path   string `json:"path"`
		Old    string `json:"old"`
		New    string `json:"new"`
		Reason string `json:"reason"`
		File   string `json:"file"`
		Line   int    `json:"line"`
	}
	out := struct {
		FormatVersion string  `json:"format_version"`
		Breaking      int     `json:"breaking"`
		Safe          int     `json:"safe"`
		Request       int     `json:"request"`
		Changes       []entry `json:"changes"`
	}{"1", diff.Count(changes, diff.Breaking), diff.Count(changes, diff.Safe), diff.Count(changes, diff.Request), []entry{}}
	for _, c := range changes {
		out.Changes = append(out.Changes, entry{c.Level.String(), c.Tool, c.What, c.Path, c.Old, c.New, c.Reason, c.Pos.File, c.Pos.Line})
	}
	return writeJSON(w, out)
}

// diffMarkdown prints a comment for a pull request.
func diffMarkdown(w io.Writer, changes []diff.Change) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### What changes for the model\n\n%s\n", diffSummary(changes))
	cell := strings.NewReplacer("|", `\|`, "`", "'", "\n", " ", "<", "&lt;")
	for _, level := range []diff.Level{diff.Breaking, diff.Safe, diff.Request} {
		if diff.Count(changes, level) == 0 {
			continue
		}
		title := map[diff.Level]string{diff.Breaking: "⚠️ Breaking", diff.Safe: "Safe", diff.Request: "Request only, which the model does not see"}[level]
		fmt.Fprintf(&b, "\n**%s**\n\n| where | change | why |\n|---|---|---|\n", title)
		for _, c := range changes {
			if c.Level != level {
				continue
			}
			quoted := c
			quoted.Old, quoted.New = strings.ReplaceAll(cell.Replace(c.Old), "&lt;", "<"), strings.ReplaceAll(cell.Replace(c.New), "&lt;", "<")
			text := strings.TrimSuffix(c.What+": "+turned(quoted, "`"), ": ")
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", cell.Replace(subject(c)), text, c.Reason)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
