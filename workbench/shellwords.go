package workbench

import (
	"errors"
	"strconv"
	"strings"
)

// shellWords splits a command as a POSIX shell does, with the quotes of bash: '..', "..", $'..'. Variables stay as they
// are written. The command ends at the first operator outside of quotes: a pipe, a redirection, another command; rest is
// what follows.
func shellWords(command string) (words []string, rest string, err error) {
	s := &shell{text: command}
	for {
		word, ok, err := s.word()
		if err != nil {
			return nil, "", err
		}
		if !ok {
			return words, strings.TrimSpace(s.text[s.at:]), nil
		}
		words = append(words, word)
	}
}

// A shell reads a command from its beginning to its end.
type shell struct {
	text string
	at   int
	b    strings.Builder
}

// word reads the next word; false at the end of the command.
func (s *shell) word() (string, bool, error) {
	s.blank()
	if s.at >= len(s.text) || strings.IndexByte("|;&<>\n#", s.text[s.at]) >= 0 {
		return "", false, nil
	}
	s.b.Reset()
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n|;&<>", s.text[s.at]) < 0 {
		if err := s.piece(); err != nil {
			return "", false, err
		}
	}
	return s.b.String(), true, nil
}

// blank steps over blanks and over line ends that a backslash continues, also with blanks behind the backslash, which
// pasting leaves there.
func (s *shell) blank() {
	for s.at < len(s.text) {
		switch rest := s.text[s.at:]; {
		case strings.IndexByte(" \t\r", rest[0]) >= 0:
			s.at++
		case rest[0] == '\\' && strings.HasPrefix(strings.TrimLeft(rest[1:], " \t\r"), "\n"):
			s.at += strings.IndexByte(rest, '\n') + 1
		default:
			return
		}
	}
}

// piece reads a quoted piece of a word, or one character.
func (s *shell) piece() error {
	rest := s.text[s.at:]
	switch {
	case rest[0] == '\'':
		end := strings.IndexByte(rest[1:], '\'')
		if end < 0 {
			return errors.New("a ' is not closed")
		}
		s.b.WriteString(rest[1 : 1+end])
		s.at += end + 2
	case strings.HasPrefix(rest, "$'"):
		return s.ansi()
	case rest[0] == '"':
		return s.double()
	case rest[0] == '\\' && strings.HasPrefix(rest[1:], "\r\n"):
		s.at += 3
	case rest[0] == '\\' && len(rest) > 1:
		if rest[1] != '\n' {
			s.b.WriteByte(rest[1])
		}
		s.at += 2
	default:
		s.b.WriteByte(rest[0])
		s.at++
	}
	return nil
}

// double reads "..", in which a backslash counts before four characters and a line's end.
func (s *shell) double() error {
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return nil
		case c == '\\' && i+1 < len(s.text) && strings.IndexByte("\\\"$`\n", s.text[i+1]) >= 0:
			i++
			if s.text[i] != '\n' {
				s.b.WriteByte(s.text[i])
			}
		default:
			s.b.WriteByte(c)
		}
	}
	return errors.New(`a " is not closed`)
}

// ansi reads $'..', as browsers write what holds a line break or a quote.
func (s *shell) ansi() error {
	for i := s.at + 2; i < len(s.text); i++ {
		c := s.text[i]
		if c == '\'' {
			s.at = i + 1
			return nil
		}
		if c != '\\' || i+1 >= len(s.text) {
			s.b.WriteByte(c)
			continue
		}
		i++
		if k := strings.IndexByte("abefnrtv", s.text[i]); k >= 0 {
			s.b.WriteByte("\a\b\x1b\f\n\r\t\v"[k])
			continue
		}
		if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s.text[i]]; digits > 0 {
			end := i + 1
			for end < len(s.text) && end <= i+digits && strings.IndexByte("0123456789abcdefABCDEF", s.text[end]) >= 0 {
				end++
			}
			n, err := strconv.ParseUint(s.text[i+1:end], 16, 32)
			if err != nil {
				return errors.New(`a \` + string(s.text[i]) + ` without digits`)
			}
			if s.text[i] == 'x' {
				s.b.WriteByte(byte(n))
			} else {
				s.b.WriteRune(rune(n))
			}
			i = end - 1
			continue
		}
		s.b.WriteByte(s.text[i])
	}
	return errors.New("a $' is not closed")
}
