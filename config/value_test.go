package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// values loads a tbridge.yaml with these vars.
func values(t *testing.T, vars string, files map[string]string) (*Catalog, string) {
	t.Helper()
	if files == nil {
		files = map[string]string{}
	}
	files["tbridge.yaml"] = "version: 1\nvars:\n  " + strings.ReplaceAll(vars, "\n", "\n  ") + "\n"
	files["tools.d/empty.yaml"] = ""
	path := write(t, files)
	c, ds := load(t, path)
	if len(ds) > 0 {
		t.Fatal(render(ds, filepath.Dir(path)))
	}
	return c, filepath.Dir(path)
}

func lookup(env map[string]string) Lookup {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func TestValueText(t *testing.T) {
	env := lookup(map[string]string{"A": "one", "B": "${A} $$ {x}", "EMPTY": "", "LINE": "a\nb", "NUL": "a\x00"})
	tests := []struct {
		yaml    string
		text    string
		secrets []string
		err     string
	}{
		{`plain text`, "plain text", nil, ""},
		{`""`, "", nil, ""},
		{`0123`, "0123", nil, ""},
		{`$$5 a$b $`, "$5 a$b $", nil, ""},
		{`$${A}`, "${A}", nil, ""},
		{`Bearer ${A}!`, "Bearer one!", []string{"one"}, ""},
		{`${B}`, "${A} $$ {x}", []string{"${A} $$ {x}"}, ""},
		{`${A}${A:-x}`, "oneone", []string{"one", "one"}, ""},
		{`${NONE:-coder}`, "coder", nil, ""},
		{`${EMPTY:-a:-$$b}`, "a:-$b", nil, ""},
		{`${NONE:-}`, "", nil, ""},
		{`${EMPTY} ${NONE}`, "", nil, "no value: tried $EMPTY, $NONE"},
		{`["${NONE}", "${A}", "${B}"]`, "one", []string{"one"}, ""},
		{`["${NONE}", fixed]`, "fixed", nil, ""},
		{`["${NONE}", "${EMPTY}", {file: /no/such, key: k}]`, "", nil, "no value: tried $NONE, $EMPTY, key k of /no/such"},
		{`${LINE}`, "", nil, "the value of $LINE holds a line break or NUL"},
		{`["${NUL}", x]`, "", nil, "the value of $NUL holds a line break or NUL"},
	}
	for _, tt := range tests {
		t.Run(tt.yaml, func(t *testing.T) {
			c, _ := values(t, "v: "+tt.yaml, nil)
			r, err := c.Vars[0].Value.Resolve(env)
			if got := errText(err); got != tt.err {
				t.Fatalf("error %q, want %q", got, tt.err)
			}
			if r.Text != tt.text || !cmp.Equal(r.Secrets, tt.secrets) {
				t.Errorf("got %q, secrets %q; want %q, %q", r.Text, r.Secrets, tt.text, tt.secrets)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestValueFiles(t *testing.T) {
	files := map[string]string{
		"token":      "\uFEFF  tok-1 \r\n\n",
		"lines":      "a\nb\n",
		"empty":      " \n",
		"large":      strings.Repeat("x", maxFile+1),
		"k.toml":     "token = \"top\"\nn = 12345678901\nlist = [1]\nlines = \"a\\nb\"\n[auth]\ntoken = \"deep\" # real\nempty = \"\"\n",
		"bad.toml":   "secret-line-without-sense",
		"k.yaml":     "auth: {token: 0123, on: {a: b}}\nlist: [x]\n",
		"bad.yaml":   "a: [secret-thing",
		"empty.yaml": "",
		"k.json":     `{"auth":{"token":"j","n":12345678901234567890,"b":true}}`,
		"bad.json":   `{"secret-thing"`,
		".env": "# c\nexport A=one # note\nB='two # 2'\nC=\"three\"\nA.B = four\nEMPTY=\n" +
			"export\tQ=\"q \\\"r\\\\s \\x \\$5\"\t# c\r\nS='a\\n\\'\r\nP=a\"b'c#d\t# e\nH=#h\nN= # none\nF=\"\"\nL=\"a\\nb\"\nK='one\nA=two'\nlast= x ",
		"open.env":  "A=1\nE=\"open\nF=1\n",
		"after.env": "K='one\ntwo'\nA=\"o\"ne\n",
		"prod.env":  "A=prod\n",
		"k.ini":     "A=1",
		"home/t":    "home-token\n",
	}
	tests := []struct{ yaml, text, err string }{
		{`{file: token}`, "tok-1", ""},
		{`{file: "${DIR}/token"}`, "tok-1", ""},
		{`{file: "${NONE}/token"}`, "", "no value: tried $NONE"},
		{`{file: ~/t}`, "home-token", ""},
		{`{file: none}`, "", "no value: tried file DIR/none"},
		{`{file: lines}`, "", "file DIR/lines holds more than one line"},
		{`{file: empty}`, "", "file DIR/empty is empty"},
		{`{file: large}`, "", "file DIR/large is larger than 1 MiB"},
		{`{file: home}`, "", "read DIR/home: is a directory"},
		{`{file: k.toml, key: token}`, "top", ""},
		{`{file: k.toml, key: auth.token}`, "deep", ""},
		{`{file: k.toml, key: n}`, "12345678901", ""},
		{`{file: k.toml, key: auth}`, "", "no value: tried key auth of DIR/k.toml"},
		{`{file: k.toml, key: auth.empty}`, "", "no value: tried key auth.empty of DIR/k.toml"},
		{`{file: k.toml, key: token.deep}`, "", "no value: tried key token.deep of DIR/k.toml"},
		{`{file: k.toml, key: lines}`, "", "key lines of DIR/k.toml holds a line break or NUL"},
		{`{file: bad.toml, key: a}`, "", "file DIR/bad.toml is not TOML"},
		{`{file: k.yaml, key: auth.token}`, "0123", ""},
		{`{file: k.yaml, key: auth.on}`, "", "no value: tried key auth.on of DIR/k.yaml"},
		{`{file: k.yaml, key: list.0}`, "", "no value: tried key list.0 of DIR/k.yaml"},
		{`{file: bad.yaml, key: a}`, "", "file DIR/bad.yaml is not YAML"},
		{`{file: empty.yaml, key: a}`, "", "file DIR/empty.yaml is not YAML"},
		{`{file: k.json, key: auth.token}`, "j", ""},
		{`{file: k.json, key: auth.n}`, "12345678901234567890", ""},
		{`{file: k.json, key: auth.b}`, "", "no value: tried key auth.b of DIR/k.json"},
		{`{file: k.json, key: no.b}`, "", "no value: tried key no.b of DIR/k.json"},
		{`{file: bad.json, key: a}`, "", "file DIR/bad.json is not JSON"},
		{`{file: .env, key: A}`, "one", ""},
		{`{file: .env, key: B}`, "two # 2", ""},
		{`{file: .env, key: C}`, "three", ""},
		{`{file: .env, key: A.B}`, "four", ""},
		{`{file: .env, key: EMPTY}`, "", "no value: tried key EMPTY of DIR/.env"},
		{`{file: .env, key: Q}`, `q "r\s \x $5`, ""},
		{`{file: .env, key: S}`, `a\n\`, ""},
		{`{file: .env, key: P}`, `a"b'c#d`, ""},
		{`{file: .env, key: H}`, "#h", ""},
		{`{file: .env, key: N}`, "", "no value: tried key N of DIR/.env"},
		{`{file: .env, key: F}`, "", "no value: tried key F of DIR/.env"},
		{`{file: .env, key: L}`, "", "key L of DIR/.env holds a line break or NUL"},
		{`{file: .env, key: K}`, "", "key K of DIR/.env holds a line break or NUL"},
		{`{file: .env, key: last}`, "x", ""},
		{`{file: open.env, key: A}`, "", "file DIR/open.env, line 2: a quote that is not closed"},
		{`{file: after.env, key: A}`, "", "file DIR/after.env, line 3: text after a closing quote"},
		{`{file: prod.env, key: A}`, "prod", ""},
		{`{file: k.ini, key: A}`, "", "file DIR/k.ini is none of .toml, .yaml, .json and .env, so that it has no key"},
		{`[{file: none}, {file: k.toml, key: none}, "${NONE}"]`, "", "no value: tried file DIR/none, key none of DIR/k.toml, $NONE"},
	}
	var list strings.Builder
	for i, tt := range tests {
		fmt.Fprintf(&list, "v%d: %s\n", i, tt.yaml)
	}
	c, dir := values(t, strings.TrimSpace(list.String()), files)
	env := lookup(map[string]string{"HOME": dir + "/home", "DIR": dir})
	for i, tt := range tests {
		t.Run(tt.yaml, func(t *testing.T) {
			r, err := c.Vars[i].Value.Resolve(env)
			if got := strings.ReplaceAll(errText(err), dir, "DIR"); got != tt.err {
				t.Fatalf("error %q, want %q", got, tt.err)
			}
			if r.Text != tt.text {
				t.Errorf("got %q, want %q", r.Text, tt.text)
			}
			if err == nil && !cmp.Equal(r.Secrets, []string{tt.text}) {
				t.Errorf("secrets %q", r.Secrets)
			}
		})
	}
	if _, err := c.Vars[3].Value.Resolve(lookup(nil)); errText(err) != "no value: tried $HOME" {
		t.Errorf("without HOME: %v", err)
	}
}

func TestValueShowsItsSource(t *testing.T) {
	c, _ := values(t, "a: [\"Bearer ${A:-x}\", {file: ~/t, key: k}, {file: \"${D}/u\"}]\nb: ${B}\nc: $$5", nil)
	a, b, lit := c.Vars[0].Value, c.Vars[1].Value, c.Vars[2].Value
	const want = "[Bearer ${A:-x}, {file: ~/t, key: k}, {file: ${D}/u}]"
	j, err := json.Marshal(map[string]any{"v": b})
	if err != nil {
		t.Fatal(err)
	}
	y, err := yaml.Marshal(map[string]any{"v": b})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("m", "v", b)
	for _, got := range []string{string(j), string(y), logged.String(), fmt.Sprint(b), fmt.Sprintf("%#v", b)} {
		if !strings.Contains(got, "${B}") {
			t.Errorf("%q does not show ${B}", got)
		}
	}
	if a.String() != want {
		t.Errorf("got %s, want %s", a, want)
	}
	if got := a.Variables(); !cmp.Equal(got, []string{"A", "D"}) {
		t.Errorf("variables %q", got)
	}
	if got := a.Files(); !cmp.Equal(got, []string{"~/t", "${D}/u"}) {
		t.Errorf("files %q", got)
	}
	if text, ok := lit.Literal(); text != "$5" || !ok || lit.External() {
		t.Errorf("literal %q, %v", text, ok)
	}
	if _, ok := b.Literal(); ok || !b.External() {
		t.Error("${B} is no literal")
	}
}

func TestNilValue(t *testing.T) {
	var v *Value
	_, err := v.Resolve(nil)
	if m := new(MissingError); !errors.As(err, &m) {
		t.Errorf("error %v", err)
	}
	if _, ok := v.Literal(); ok || v.External() || v.String() != "" || v.Variables() != nil || v.Files() != nil {
		t.Error("a nil Value says something")
	}
}
