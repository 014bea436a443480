package workbench

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A command is what a curl command would send.
type command struct {
	method  string // empty: what follows from the rest
	url     string
	headers [][2]string
	data    []string   // pieces of the body, as they would be sent
	query   []string   // pieces for the query
	form    []formPart // of a multipart body
	kind    string     // json: the data is JSON; raw: it is what it is
	get     bool       // the data goes into the query
	head    bool
	upload  bool
	notes   []string
}

// A formPart is one -F.
type formPart struct {
	name, value string
	file        bool   // value is the name of a file
	media       string // its type, if given
}

func (c *command) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// options are those of curl's options that say something of the request, by their long names.
var options = map[string]func(c *command, value string){
	"request":        func(c *command, v string) { c.method = strings.ToUpper(v) },
	"url":            func(c *command, v string) { c.url = v },
	"header":         (*command).header,
	"data":           (*command).addData,
	"data-ascii":     (*command).addData,
	"data-binary":    (*command).addData,
	"data-raw":       func(c *command, v string) { c.data = append(c.data, v) },
	"data-urlencode": (*command).addEncoded,
	"json":           func(c *command, v string) { c.kind = "json"; c.addData(v) },
	"form":           (*command).addForm,
	"form-string": func(c *command, v string) {
		n, v, _ := strings.Cut(v, "=")
		c.form = append(c.form, formPart{name: n, value: v})
	},
	"user":          func(c *command, v string) { c.headers = append(c.headers, [2]string{"Authorization", "Basic " + v}) },
	"oauth2-bearer": func(c *command, v string) { c.headers = append(c.headers, [2]string{"Authorization", "Bearer " + v}) },
	"cookie":        func(c *command, v string) { c.headers = append(c.headers, [2]string{"Cookie", v}) },
	"user-agent":    func(c *command, v string) { c.headers = append(c.headers, [2]string{"User-Agent", v}) },
	"referer":       func(c *command, v string) { c.headers = append(c.headers, [2]string{"Referer", v}) },
	"url-query":     func(c *command, v string) { c.query = append(c.query, encodePair(v)) },
	"upload-file":   func(c *command, v string) { c.upload = true; c.fromFile() },
	"output":        nil, "max-time": nil, "connect-timeout": nil, "retry": nil, "retry-delay": nil, "retry-max-time": nil, "proxy": nil, "proxy-user": nil,
	"cacert": nil, "capath": nil, "cert": nil, "key": nil, "pass": nil, "write-out": nil, "resolve": nil, "cookie-jar": nil, "dump-header": nil, "max-redirs": nil,
	"range": nil, "config": nil, "ciphers": nil, "interface": nil, "limit-rate": nil, "time-cond": nil, "continue-at": nil, "max-filesize": nil, "speed-limit": nil,
	"speed-time": nil, "connect-to": nil, "unix-socket": nil, "tls-max": nil, "cert-type": nil, "key-type": nil, "output-dir": nil, "stderr": nil, "trace": nil,
	"trace-ascii": nil, "noproxy": nil, "dns-servers": nil, "aws-sigv4": nil, "rate": nil, "request-target": nil, "keepalive-time": nil,
}

// letterOptions are the letters of options with a value.
var letterOptions = map[byte]string{'X': "request", 'H': "header", 'd': "data", 'F': "form", 'u': "user", 'b': "cookie", 'A': "user-agent", 'e': "referer", 'T': "upload-file",
	'o': "output", 'm': "max-time", 'x': "proxy", 'U': "proxy-user", 'E': "cert", 'w': "write-out", 'c': "cookie-jar", 'D': "dump-header", 'r': "range", 'K': "config",
	'z': "time-cond", 'C': "continue-at", 'y': "speed-time", 'Y': "speed-limit"}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// parseCurl reads a curl command as it is pasted from a browser or a page of documentation.
func parseCurl(text string) (*command, error) {
	words, rest, err := shellWords(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	for len(words) > 0 && (words[0] == "$" || words[0] == "%" || assignment.MatchString(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 || !slices.Contains([]string{"curl", "curl.exe"}, words[0][strings.LastIndexByte(words[0], '/')+1:]) {
		return nil, errors.New("this is no curl command")
	}
	c := &command{}
	if rest != "" {
		c.note("only the first command was read")
	}
	if err := c.read(words[1:]); err != nil {
		return nil, err
	}
	if c.url == "" {
		return nil, errors.New("the command names no URL")
	}
	return c, nil
}

// read reads the words of a command.
func (c *command) read(words []string) error {
	plain := false // after --, all words are URLs
	for i := 0; i < len(words); i++ {
		word := words[i]
		next := func(name string) (string, error) {
			if i++; i >= len(words) {
				return "", fmt.Errorf("the option %s lacks its value", name)
			}
			return words[i], nil
		}
		switch {
		case plain || !strings.HasPrefix(word, "-") || word == "-":
			if c.url != "" {
				c.note("only the first URL was read")
				continue
			}
			c.url = word
		case word == "--":
			plain = true
		case strings.HasPrefix(word, "--"):
			if err := c.long(word, next); err != nil {
				return err
			}
		default:
			if err := c.letters(word, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// long reads --option value or, as some write it, --option=value.
func (c *command) long(word string, next func(string) (string, error)) (err error) {
	name, value, given := strings.Cut(word[2:], "=")
	set, known := options[name]
	if !known {
		c.flag(name)
		return nil
	}
	if !given {
		if value, err = next(word); err != nil {
			return err
		}
	}
	if set != nil {
		set(c, value)
	}
	return nil
}

// letters reads -s, -sSL, -XPOST, -X POST.
func (c *command) letters(word string, next func(string) (string, error)) (err error) {
	for i := 1; i < len(word); i++ {
		name, valued := letterOptions[word[i]]
		if !valued {
			c.flag(map[byte]string{'G': "get", 'I': "head", 'k': "insecure"}[word[i]])
			continue
		}
		value := word[i+1:]
		if value == "" {
			if value, err = next("-" + word[i:i+1]); err != nil {
				return err
			}
		}
		if set := options[name]; set != nil {
			set(c, value)
		}
		return nil
	}
	return nil
}

// flag reads an option without a value. Most say how curl shows the answer, which is nothing to us.
func (c *command) flag(name string) {
	switch name {
	case "get":
		c.get = true
	case "head":
		c.head = true
	case "insecure":
		c.note("the certificate was not verified; if that must be, say so in tbridge.yaml under tls")
	}
}

func (c *command) header(line string) {
	name, value, ok := strings.Cut(line, ":")
	if !ok { // "Name;" is a header without a value
		name = strings.TrimSuffix(name, ";")
	}
	c.headers = append(c.headers, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
}

func (c *command) addData(value string) {
	if strings.HasPrefix(value, "@") {
		c.fromFile()
		return
	}
	c.data = append(c.data, value)
}

func (c *command) fromFile() {
	c.kind = "raw"
	c.note("the body comes from a file, which was not read")
}

// addEncoded is --data-urlencode: content, =content, name=content; @ names a file.
func (c *command) addEncoded(value string) {
	name, _, _ := strings.Cut(value, "=")
	if !strings.Contains(value, "=") && strings.Contains(value, "@") || strings.HasPrefix(name, "@") {
		c.fromFile()
		return
	}
	c.data = append(c.data, encodePair(value))
}

func encodePair(value string) string {
	name, content, named := strings.Cut(value, "=")
	switch {
	case !named:
		return url.QueryEscape(value)
	case name == "":
		return url.QueryEscape(content)
	}
	return name + "=" + url.QueryEscape(content)
}

func (c *command) addForm(value string) {
	name, value, _ := strings.Cut(value, "=")
	p := formPart{name: name, value: value}
	if strings.HasPrefix(value, "@") || strings.HasPrefix(value, "<") {
		p.file, p.value = value[0] == '@', value[1:]
	}
	if p.file || value != p.value {
		var more string
		p.value, more, _ = strings.Cut(p.value, ";")
		for _, pair := range strings.Split(more, ";") {
			if media, ok := strings.CutPrefix(strings.TrimSpace(pair), "type="); ok {
				p.media = media
			}
			if filename, ok := strings.CutPrefix(strings.TrimSpace(pair), "filename="); ok {
				p.value = strings.Trim(filename, `"`)
			}
		}
		p.value = strings.Trim(p.value, `"`)
	}
	if !p.file && value != p.value { // <file: its content is the text
		p.value = ""
		c.note("the field %q comes from a file, which was not read", name)
	}
	c.form = append(c.form, p)
}

// verb is the method of the request.
func (c *command) verb() string {
	switch {
	case c.method != "":
		return c.method
	case c.head:
		return "HEAD"
	case c.get:
		return "GET"
	case c.upload:
		return "PUT"
	case len(c.data) > 0 || c.kind != "" || len(c.form) > 0:
		return "POST"
	}
	return "GET"
}
