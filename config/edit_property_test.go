package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// A spot is one node of a document.
type spot struct {
	path []any
	node *yaml.Node
	due  due
}

// spots are the nodes of a text below its root, in order.
func spots(t testing.TB, text string) (all []spot) {
	t.Helper()
	d, err := readDocument(newSourceFile("t.yaml", text))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *yaml.Node, path []any)
	walk = func(n *yaml.Node, path []any) {
		for i, child := range n.Content {
			var step any = i
			if n.Kind == yaml.MappingNode {
				if i%2 == 0 || isMerge(n.Content[i-1]) {
					continue
				}
				step = deref(n.Content[i-1]).Value
			}
			path := join(path, step)
			if p, err := d.resolve(path); err == nil && p.exists() && p.last() == child {
				all = append(all, spot{path, child, p.dues[len(path)]})
				walk(child, path)
			}
		}
	}
	walk(d.root, nil)
	return all
}

// model is all that a text says, aliases and merges followed.
func model(t testing.TB, text string) JSON { return modelAs(t, text, due{}) }

// modelAs is what it says to who reads it so.
func modelAs(t testing.TB, text string, as due) JSON {
	t.Helper()
	var ds Diagnostics
	root := parse(newSourceFile("t.yaml", text), &ds)
	if root == nil {
		if ds.Count(Error) > 0 {
			t.Fatalf("not YAML any more: %v\n%s", ds, text)
		}
		return JSON{Kind: KindObject}
	}
	return read(root, as)
}

// at gives the place of a path in a value; what is on the way is copied, so that the value it was made from stays.
func at(v *JSON, path []any) *JSON {
	for _, step := range path {
		v.Items = slices.Clone(v.Items)
		i, ok := step.(int)
		if !ok {
			i = slices.Index(v.Keys, step.(string))
		}
		v = &v.Items[i]
	}
	v.Keys, v.Items = slices.Clone(v.Keys), slices.Clone(v.Items)
	return v
}

// edited makes a change that must succeed, unless what it names is shared.
func edited(t testing.TB, text string, changes ...Change) (string, bool) {
	t.Helper()
	out, err := Edit("t.yaml", []byte(text), changes...)
	if err == nil {
		return string(out), true
	}
	if e := err.(*EditError); e.Shared == (Pos{}) && !strings.Contains(e.Message, "has no anchor above it") {
		t.Errorf("%v (%s)", err, e.Hint)
	}
	return "", false
}

// shipped are the files of the catalogue and the examples.
func shipped(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../tbridge.yaml", "../tools.d/*.yaml", "../examples/*/tbridge.yaml", "../examples/*/tools.d/*.yaml"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[strings.TrimPrefix(name, "../")] = string(text)
		}
	}
	if len(all) < 10 {
		t.Fatalf("only %d files", len(all))
	}
	return all
}

// In every shipped file: each node set to what it is leaves the file byte for byte. At nodes spread over it: a change
// changes its own lines and its own value, and nothing else; what is put in and taken out, or moved away and back,
// leaves no trace.
func TestEditShippedFiles(t *testing.T) {
	for name, text := range shipped(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := []Change{}
			all, before := spots(t, text), model(t, text)
			for i, s := range all {
				whole = append(whole, Set(s.path, read(s.node, s.due)))
				if every := len(all)/12 + 1; i%every > 0 {
					continue
				}
				editSpot(t, text, s, before)
				if t.Failed() {
					t.Fatalf("at %s", pathText(s.path))
				}
			}
			if out, _ := edited(t, text, whole...); out != text {
				t.Errorf("set to what it is, it became\n%s", cmp.Diff(text, out))
			}
		})
	}
}

// editSpot changes a node in every way.
func editSpot(t *testing.T, text string, s spot, before JSON) {
	if out, ok := edited(t, text, Set(s.path, StringJSON("other, and: more"))); ok {
		want := before
		*at(&want, s.path) = StringJSON("other, and: more")
		sameModel(t, want, model(t, out))
		linesOutside(t, text, out, s)
	}
	if out, ok := edited(t, text, Remove(s.path)); ok {
		want := before
		drop(at(&want, s.path[:len(s.path)-1]), s.path[len(s.path)-1])
		sameModel(t, want, model(t, out))
	}
	switch s.node.Kind {
	case yaml.SequenceNode:
		editElements(t, text, s, before)
	case yaml.MappingNode:
		out, ok := edited(t, text, Set(join(s.path, "zz"), StringJSON("new")), Remove(join(s.path, "zz")))
		if ok && out != text {
			t.Errorf("a key put in and taken out:\n%s", cmp.Diff(text, out))
		}
	}
}

func editElements(t *testing.T, text string, s spot, before JSON) {
	count := len(s.node.Content)
	element := JSON{Kind: KindObject, Keys: []string{"name", "x y"}, Items: []JSON{StringJSON("new"), StringJSON("yes, {no}")}}
	for _, i := range []int{count / 2, count}[:1+len(s.path)%2] {
		path := join(s.path, i)
		out, ok := edited(t, text, Insert(path, element))
		if !ok {
			return
		}
		want := before
		list := at(&want, s.path)
		list.Items = slices.Insert(list.Items, i, element)
		sameModel(t, want, model(t, out))
		if out, _ := edited(t, out, Remove(path)); out != text && count > 0 {
			t.Errorf("element %d put in and taken out:\n%s", i, cmp.Diff(text, out))
		}
	}
	if count > 1 {
		out, ok := edited(t, text, Move(join(s.path, 0), count-1), Move(join(s.path, count-1), 0))
		if ok && out != text {
			t.Errorf("an element moved and moved back:\n%s", cmp.Diff(text, out))
		}
	}
}

// drop takes a member or element from a value.
func drop(v *JSON, step any) {
	i, ok := step.(int)
	if !ok {
		i = slices.Index(v.Keys, step.(string))
		v.Keys = slices.Delete(v.Keys, i, i+1)
	}
	v.Items = slices.Delete(v.Items, i, i+1)
}

func sameModel(t testing.TB, want, got JSON) {
	t.Helper()
	if !want.same(got) {
		t.Errorf("means something else:\n%s", cmp.Diff(want.String(), got.String()))
	}
}

// linesOutside checks that only lines of a node differ.
func linesOutside(t testing.TB, before, after string, s spot) {
	t.Helper()
	f := newSourceFile("", before)
	at := f.span(s.node)
	a, b := strings.SplitAfter(f.text, "\n"), strings.SplitAfter(strings.TrimPrefix(after, "\uFEFF"), "\n")
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	last := 0
	for last < min(len(a), len(b))-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	top := at.Line - 1
	if (isBlock(s.node) || isEmpty(s.node) || s.node.Style&yaml.TaggedStyle != 0) && top > 0 { // the line of the key or the tag too, and comments below it
		top--
		for top > 0 && strings.HasPrefix(strings.TrimSpace(a[top])+"#", "#") {
			top--
		}
	}
	if slices.Equal(a, b) {
		return
	}
	if first < top || len(a)-last > at.EndLine+blanks(a, at.EndLine) {
		t.Errorf("lines %d to %d changed for %s on lines %d to %d:\n%s", first+1, len(a)-last, pathText(s.path), at.Line, at.EndLine, cmp.Diff(before, after))
	}
}

// blanks is the number of blank lines from a line on.
func blanks(lines []string, from int) (n int) {
	for from+n < len(lines) && strings.TrimSpace(lines[from+n]) == "" {
		n++
	}
	return n
}

// Whatever the text: a change fails, or it changes what it names and nothing else.
func FuzzEdit(f *testing.F) {
	archives, _ := filepath.Glob("testdata/edit/*.txtar")
	for _, name := range archives {
		for _, c := range readCases(f, name) {
			for verb := range byte(5) {
				f.Add(c["before"], len(c["before"])/3, verb, "a: b\nc")
			}
		}
	}
	f.Add("\uFEFFtools:\r\n- name: a\r\n  path: |+2\r\n    {a}\r\n\r\n- b", 3, byte(0), "x")
	f.Add("a: &a {b: 1}\nc: {<<: *a, d: [*a, {e: &e >-\n  f}]}", 4, byte(2), "'")
	f.Fuzz(func(t *testing.T, text string, nth int, verb byte, value string) {
		if _, err := Edit("t.yaml", []byte(text)); err != nil || strings.ContainsAny(strings.ReplaceAll(text, "\r\n", ""), "\r\u0085\u2028\u2029") {
			return // lines end as git has them end
		}
		all := spots(t, text)
		if _, ok := first(all); !ok {
			return // a file is a mapping
		}
		s := all[uint(nth)%uint(len(all))]
		_, faults, _ := open("t.yaml", []byte(text))
		if len(faults) > 0 { // what counts there is not what is written
			_, _ = Edit("t.yaml", []byte(text), Set(s.path, StringJSON(value)), Remove(s.path))
			return
		}
		before := modelAs(t, text, readAs(text, verb))
		same, err := Edit("t.yaml", []byte(text), Set(s.path, read(s.node, s.due)))
		if err != nil || string(same) != text {
			t.Fatalf("set to what it is, %s became %q (%v)", pathText(s.path), same, err)
		}
		fuzzChange(t, text, s, verb, value, before)
	})
}

// readAs says how to read a file before and after a change: what is written out keeps what it means, and not its looks.
func readAs(text string, verb byte) due {
	if verb%5 != 3 {
		return due{}
	}
	var ds Diagnostics
	return documentDue(parse(newSourceFile("t.yaml", text), &ds))
}

// first is the key that a file begins with.
func first(all []spot) (key string, ok bool) {
	if len(all) > 0 {
		key, ok = all[0].path[0].(string)
	}
	return key, ok
}

func fuzzChange(t *testing.T, text string, s spot, verb byte, value string, before JSON) {
	above, step := s.path[:len(s.path)-1], s.path[len(s.path)-1]
	parent := at(&before, above)
	v := StringJSON(value)
	change := Set(s.path, v)
	switch verb % 5 {
	case 1:
		change = Remove(s.path)
		drop(parent, step)
	case 2:
		if parent.Kind == KindArray {
			change = Insert(s.path, v)
			parent.Items = slices.Insert(parent.Items, step.(int), v)
		} else {
			change = Rename(s.path, value)
			parent.Keys[slices.Index(parent.Keys, step.(string))] = value
		}
	case 3:
		change = Unshare(s.path)
	case 4:
		if parent.Kind != KindArray {
			return
		}
		change = Move(s.path, 0)
		item := parent.Items[step.(int)]
		drop(parent, step)
		parent.Items = slices.Insert(parent.Items, 0, item)
	}
	out, err := Edit("t.yaml", []byte(text), change)
	if err != nil {
		return
	}
	after := modelAs(t, string(out), readAs(text, verb))
	if verb%5 == 0 {
		place := at(&before, s.path)
		if got := at(&after, s.path); got.Text != value && !(got.Kind == KindNull && strings.TrimSpace(value) != "") {
			t.Errorf("%s is %s, not %q", pathText(s.path), got.String(), value)
		}
		*place = *at(&after, s.path)
		linesOutside(t, text, string(out), s)
	}
	if name, ok := step.(string); ok && verb%5 == 1 && strings.Contains(text, "<<") {
		if below, ok := at(&after, above).Get(name); ok { // what came through << counts again
			parent.Put(name, below)
		}
	}
	if !before.same(after) && !(len(before.Items) == 0 && after.Kind == KindNull) { // the last key of a file is gone
		t.Errorf("change %d of %s to %q: means something else:\n%s\n%s", verb%5, pathText(s.path), value, text, fmt.Sprint(string(out)))
	}
}
