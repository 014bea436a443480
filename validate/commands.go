package validate

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A ploy is a way in which texts are known to be made to steer a model. It is looked for, in lower case,
// where one of its triggers stands.
type ploy struct {
	what     string
	triggers []string
	pattern  *regexp.Regexp
}

// ploys are sought in titles, descriptions and whatever else a model is shown.
var ploys = []ploy{
	{"a hidden comment", []string{"<!--"}, regexp.MustCompile(`<!--`)},
	{"a tag that poses as the system's", []string{"<", "[inst", "### "},
		regexp.MustCompile(`<\s*/?\s*(important|system|sys|secrets?|instructions?|critical|hidden|assistant|admin|override|prompt)\b[^>]{0,40}>|<\|[a-z_]+\|>|<<\s*sys\s*>>|\[/?inst\]|###\s*(system|instructions?)\b`)},
	{"an order to drop other instructions", []string{"ignor", "disregard", "forget", "overrid", "bypass", "overlook", "neglect"},
		regexp.MustCompile(`\b(ignor\w*|disregard\w*|forget\w*|overrid\w*|bypass\w*|overlook\w*|neglect\w*)\b[^.\n]{0,40}\b(previous|prior|above|earlier|preceding|your|system|former|original|all|any|other)\b[^.\n]{0,40}\b(instructions?|prompts?|guidelines?|directives?|guardrails?|training|safety)\b|\bforget (everything|all)\b[^.\n]{0,20}\b(above|before|you|told)\b`)},
	{"an order to keep something from the user", []string{"tell", "mention", "reveal", "disclos", "inform"},
		regexp.MustCompile(`\b(do not|don't|dont|never|without|avoid)\s+(tell\w*|mention\w*|reveal\w*|disclos\w*|inform\w*)\b[^.\n]{0,40}\b(users?|humans?|operators?|anyone|this tool|these instructions)\b`)},
	{"an order to fetch secrets", []string{".ssh", "id_rsa", "/etc/", ".aws/", "mcp.json", "system prompt", "history", "credential", "api key"},
		regexp.MustCompile(`\.ssh/|\bid_rsa\b|/etc/(passwd|shadow)|\.aws/credentials|\bmcp\.json\b|\b(reveal|print|output|repeat|send|leak|include|paste|pass)\b[^.\n]{0,40}\b(your|the) (system prompt|(conversation|chat) history|credentials|api keys?)\b`)},
	{"an order to play another part", []string{"you are now", "new instruction", "jailbreak", "developer mode", "act as"},
		regexp.MustCompile(`\byou are now\b|\bnew (system )?instructions?\s*:|\bjailbreak|\bdeveloper mode\b|\bact as (an? )?(admin\w*|root|system|dan|unrestricted)\b`)},
	{"a picture that is loaded from elsewhere", []string{"!["}, regexp.MustCompile(`!\[[^\]]*\]\(\s*(https?:)?//`)},
	{"an order to drop other instructions", []string{"игнорир", "забуд", "отмен", "внимани", "пренебре"},
		regexp.MustCompile(`(игнорир\pL*|забуд(ь|ьте)|отмени(те)?|не обращай(те)? внимани\pL* на|пренебре\pL*)[^.\n]{0,40}(предыдущ|прежн|вышеуказан|вышестоящ|ранее|прошл|все|всё|свои|системн)[^.\n]{0,40}(инструкци|указани|промпт|директив|запрет)|забуд(ь|ьте) (обо )?(вс[её]|всём|всем),? (что|выше|ранее)`)},
	{"an order to keep something from the user", []string{"говори", "сообща", "рассказыва", "упомина", "раскрыва"},
		regexp.MustCompile(`(не|никогда не)\s+(говори|сообща|рассказыва|упомина|раскрыва)\pL*[^.\n]{0,40}(пользовател|оператор|человек|никому|об этом)`)},
	{"an order to play another part", []string{"теперь", "тайно", "втайне", "незаметно"},
		regexp.MustCompile(`(^|[^\pL])(ты|вы) теперь\s|(тайно|втайне|незаметно)[^.\n]{0,40}(отправ|перешли|передай|прочти|прочитай)`)},
	{"an order to drop other instructions", []string{"忽略", "无视", "忘记", "無視", "忘れ", "ignor", "vergiss", "missacht", "olvid", "oubli"},
		regexp.MustCompile(`(忽略|无视|忘记)[^。\n]{0,10}(之前|以上|先前|所有|上述|前面)[^。\n]{0,10}(指令|指示|提示|规则)|(以前|上記|これまで|前)の[^。\n]{0,6}(指示|命令)を[^。\n]{0,4}(無視|忘れ)|(ignorier|vergiss|missacht)\pL*[^.\n]{0,40}(vorherig|bisherig|obig|vorig|alle)\pL*[^.\n]{0,30}(anweisung|instruktion)|(ignor|olvid)\pL*[^.\n]{0,30}(instrucciones|indicaciones)[^.\n]{0,20}(anteriores|previas)|(ignor|oubli)\pL*[^.\n]{0,30}(instructions|consignes)[^.\n]{0,30}(précédentes|antérieures)`)},
	{"an order to keep something from the user", []string{"告诉", "知らせ", "伝え"}, regexp.MustCompile(`(不要|别)告诉用户|ユーザーに[^。\n]{0,6}(知らせ|伝え)(ない|るな)`)},
}

// commanding says by which ploy a text steers the model that reads it, or nothing.
func commanding(text string) string {
	lower := strings.ToLower(unmasked(text))
	for i := range ploys {
		p := &ploys[i]
		for _, trigger := range p.triggers {
			if strings.Contains(lower, trigger) && p.pattern.MatchString(lower) {
				return p.what
			}
		}
	}
	if encoded(text) {
		return "a long text in base64, which nobody reads but a model"
	}
	return ""
}

// lookalikes are Cyrillic letters that pass for Latin ones.
var lookalikes = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "і", "i", "ј", "j", "ѕ", "s", "ԁ", "d",
	"А", "A", "Е", "E", "О", "O", "Р", "P", "С", "C", "У", "Y", "Х", "X", "І", "I", "Ѕ", "S", "В", "B", "Н", "H", "К", "K", "М", "M", "Т", "T")

// unmasked writes letters in disguise (full width, mathematical, Cyrillic among Latin ones) as what they pass for.
func unmasked(text string) string {
	if plainASCII(text) {
		return text
	}
	text = norm.NFKC.String(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) }) {
		if plain := lookalikes.Replace(text); mixesScripts(text) {
			return plain + "\n" + text
		}
	}
	return text
}

// mixesScripts says whether a word has Latin and Cyrillic letters.
func mixesScripts(text string) bool {
	latin, cyrillic := false, false
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			latin, cyrillic = false, false
		case unicode.Is(unicode.Latin, r):
			latin = true
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic = true
		}
		if latin && cyrillic {
			return true
		}
	}
	return false
}

var blob = regexp.MustCompile(`[A-Za-z0-9+/_-]{40,}={0,2}`)

// encoded says whether a text holds a long piece of base64. Words, paths and hexadecimal hashes are none.
func encoded(text string) bool {
	if len(text) < 40 {
		return false
	}
	for _, found := range blob.FindAllString(text, -1) {
		found = strings.TrimRight(found, "=")
		if !strings.ContainsAny(found, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") || !strings.ContainsAny(found, "abcdefghijklmnopqrstuvwxyz") || entropy(found) < 4 {
			continue
		}
		if _, err := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(found)); err == nil {
			return true
		}
	}
	return false
}
