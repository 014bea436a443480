package validate

import (
	"fmt"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// hidden finds the first character of a text that a model reads and people do not see, or that changes what
// they see: its bytes [at, end) and what it is. Where honest writing needs such a character (joiners in Persian,
// Hindi and emoji, variants of ideographs, direction marks in Hebrew) it is none.
func hidden(text string) (what string, at, end int) {
	if plainASCII(text) {
		return "", 0, 0
	}
	before := ' '
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == blackFlag {
			if m := regionFlag.FindString(text[i:]); m != "" {
				size = len(m)
			}
		}
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		if what := hiddenRune(text, before, r, after); what != "" {
			return fmt.Sprintf("%s (U+%04X)", what, r), i, i + size
		}
		before = r
		i += size
	}
	return "", 0, 0
}

func plainASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf || c == 0x7F || c < 0x20 && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// blackFlag begins the flags of regions, which are spelt with tag characters.
const blackFlag = '\U0001F3F4'

var regionFlag = regexp.MustCompile(`^\x{1F3F4}[\x{E0030}-\x{E0039}\x{E0061}-\x{E007A}]{2,6}\x{E007F}`)

// hiddenRune says what a character between two others hides, or nothing.
func hiddenRune(text string, before, r, after rune) string {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return ""
	case r == 0x1B || r == 0x9B:
		return "an escape code"
	case unicode.IsControl(r):
		return "a control character"
	case r >= 0xE0000 && r <= 0xE007F:
		return "a tag character"
	case r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
		return "a bidirectional control"
	case joiner(r) && joins(before) && joins(after),
		directionMark(r) && hasRightToLeft(text),
		unicode.Is(unicode.Variation_Selector, r) && varies(before, r),
		unicode.In(r, unicode.Prepended_Concatenation_Mark):
		return ""
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), r == 0x2028, r == 0x2029, blank(r):
		return "an invisible character"
	}
	return ""
}

func joiner(r rune) bool { return r == 0x200C || r == 0x200D }

// joins says whether a joiner can stand beside a character: in scripts that shape letters by it, and in emoji.
func joins(r rune) bool {
	const variantOfEmoji = 0xFE0F
	return r == variantOfEmoji || unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.So, unicode.Sk)
}

func directionMark(r rune) bool { return r == 0x200E || r == 0x200F || r == 0x061C }

func hasRightToLeft(text string) bool {
	for _, r := range text {
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			return true
		}
	}
	return false
}

// varies says whether a variation selector can follow a character: a symbol, a digit or an ideograph.
func varies(before, r rune) bool {
	switch {
	case r == 0xFE0E || r == 0xFE0F:
		return unicode.IsSymbol(before) || unicode.IsPunct(before) || unicode.IsDigit(before) || unicode.Is(unicode.Han, before)
	case r >= 0x180B && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, before)
	}
	return unicode.Is(unicode.Han, before)
}

// blank says whether a letter or mark shows nothing.
func blank(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0:
		return true
	}
	return false
}
