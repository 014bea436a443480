package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// testText prints the tests that failed: what was expected and what came, side by side.
func testText(w io.Writer, ran *testRun) error {
	var b strings.Builder
	for _, r := range ran.reports {
		if r.Passed() {
			continue
		}
		fmt.Fprintf(&b, "FAIL %s: %s (%s)\n", r.Tool, r.Test, r.Pos)
		for _, d := range r.Differences {
			b.WriteString(indent(d.What+"\n"+indent(sideBySide(d.Want, d.Got))) + "\n")
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func testJSON(w io.Writer, ran *testRun) error {
	type difference struct {
		What string `json:"what"`
		Want string `json:"want"`
		Got  string `json:"got"`
	}
	type entry struct {
		Tool        string       `json:"tool"`
		Test        string       `json:"test"`
		File        string       `json:"file"`
		Line        int          `json:"line"`
		Passed      bool         `json:"passed"`
		Differences []difference `json:"differences"`
	}
	out := struct {
		FormatVersion string   `json:"format_version"`
		Passed        int      `json:"passed"`
		Failed        int      `json:"failed"`
		Untested      []string `json:"untested"`
		Tests         []entry  `json:"tests"`
	}{"1", len(ran.reports) - ran.failed, ran.failed, append([]string{}, ran.untested...), []entry{}}
	for _, r := range ran.reports {
		e := entry{r.Tool, r.Test, r.Pos.File, r.Pos.Line, r.Passed(), []difference{}}
		for _, d := range r.Differences {
			e.Differences = append(e.Differences, difference(d))
		}
		out.Tests = append(out.Tests, e)
	}
	return writeJSON(w, out)
}

// testJUnit prints the tests as JUnit's XML, a suite for each tool.
func testJUnit(w io.Writer, ran *testRun) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
	type testCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		File    string   `xml:"file,attr"`
		Line    int      `xml:"line,attr"`
		Failure *failure `xml:"failure"`
	}
	type suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	out := struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suites   []suite  `xml:"testsuite"`
	}{Tests: len(ran.reports), Failures: ran.failed}
	for _, r := range ran.reports {
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Name != r.Tool {
			out.Suites = append(out.Suites, suite{Name: r.Tool})
		}
		s := &out.Suites[len(out.Suites)-1]
		c := testCase{Name: r.Test, Class: r.Tool, File: r.Pos.File, Line: r.Pos.Line}
		if !r.Passed() {
			s.Failures++
			var words []string
			c.Failure = &failure{}
			for _, d := range r.Differences {
				words = append(words, d.What)
				c.Failure.Text += d.What + "\n" + sideBySide(d.Want, d.Got) + "\n"
			}
			c.Failure.Message = strings.Join(words, ", ") + " not as expected"
		}
		s.Tests++
		s.Cases = append(s.Cases, c)
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
