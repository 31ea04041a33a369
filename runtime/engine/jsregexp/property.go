package jsregexp

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// unicodeText holds the properties of Unicode 17, the version of V8 14 (Go's own tables are older), a line each: a
// name, then ranges as base-36 "start" or "start-length", comma separated, each start relative to the end of the
// range before. Script lines carry four-letter codes. The lines "flags" and "zwj" are emoji sequences: code points in
// base 36 joined by dots.
//
//go:embed unicode.txt
var unicodeText string

var unicodeLines = sync.OnceValue(func() map[string]string {
	lines := map[string]string{}
	for _, line := range strings.Split(unicodeText, "\n") {
		if name, ranges, ok := strings.Cut(line, " "); ok {
			lines[name] = ranges
		}
	}
	return lines
})

var propertyCache sync.Map // propertyCache maps the name of a line to its set.

func table(line string) (set, bool) {
	if v, ok := propertyCache.Load(line); ok {
		return v.(set), true
	}
	text, ok := unicodeLines()[line]
	if !ok {
		return nil, false
	}
	s := decodeRanges(text)
	propertyCache.Store(line, s)
	return s, true
}

// Property returns the test for a property of characters, named as an escape names it ("Lu", "Script=Greek"). Other
// packages use it, too: they need the same tables.
func Property(name string) (func(rune) bool, bool) {
	name, value, hasValue := strings.Cut(name, "=")
	s, ok := lookupProperty(name, value, hasValue)
	return s.contains, ok
}

// lookupProperty finds a property of characters; names are exact, as ECMAScript has them.
func lookupProperty(name, value string, hasValue bool) (set, bool) {
	if hasValue {
		switch name {
		case "General_Category", "gc":
			return category(value)
		case "Script", "sc":
			if value == "Zzzz" || value == "Unknown" {
				return noScript(), true
			}
			return table("sc=" + scriptCode(value))
		case "Script_Extensions", "scx":
			if value == "Zzzz" || value == "Unknown" {
				return noScript(), true
			}
			if s, ok := table("scx=" + scriptCode(value)); ok {
				return s, true
			}
			return table("sc=" + scriptCode(value))
		}
		return nil, false
	}
	if s, ok := category(name); ok {
		return s, true
	}
	switch name {
	case "Any":
		return everything, true
	case "ASCII":
		return set{{0, 0x7F}}, true
	case "Assigned":
		s, ok := category("Cn")
		return s.complement(), ok
	}
	if long, ok := binaryAliases[name]; ok {
		name = long
	}
	if strings.Contains(name, "=") || name == "flags" || name == "zwj" {
		return nil, false
	}
	return table(name)
}

// noScript is the script Unknown: characters that have no other, and so no extensions.
var noScript = sync.OnceValue(func() set {
	var all []set
	for line := range unicodeLines() {
		if strings.HasPrefix(line, "sc=") {
			s, _ := table(line)
			all = append(all, s)
		}
	}
	return union(all...).complement()
})

var categoryAliases = map[string]string{
	"Cased_Letter": "LC", "Close_Punctuation": "Pe", "Connector_Punctuation": "Pc", "Control": "Cc", "cntrl": "Cc",
	"Currency_Symbol": "Sc", "Dash_Punctuation": "Pd", "Decimal_Number": "Nd", "digit": "Nd", "Enclosing_Mark": "Me",
	"Final_Punctuation": "Pf", "Format": "Cf", "Initial_Punctuation": "Pi", "Letter": "L", "Letter_Number": "Nl",
	"Line_Separator": "Zl", "Lowercase_Letter": "Ll", "Mark": "M", "Combining_Mark": "M", "Math_Symbol": "Sm",
	"Modifier_Letter": "Lm", "Modifier_Symbol": "Sk", "Nonspacing_Mark": "Mn", "Number": "N", "Open_Punctuation": "Ps",
	"Other": "C", "Other_Letter": "Lo", "Other_Number": "No", "Other_Punctuation": "Po", "Other_Symbol": "So",
	"Paragraph_Separator": "Zp", "Private_Use": "Co", "Punctuation": "P", "punct": "P", "Separator": "Z",
	"Space_Separator": "Zs", "Spacing_Mark": "Mc", "Surrogate": "Cs", "Symbol": "S", "Titlecase_Letter": "Lt",
	"Unassigned": "Cn", "Uppercase_Letter": "Lu",
}

var categoryGroups = map[string][]string{
	"LC": {"Lu", "Ll", "Lt"}, "L": {"Lu", "Ll", "Lt", "Lm", "Lo"}, "M": {"Mn", "Mc", "Me"}, "N": {"Nd", "Nl", "No"},
	"P": {"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"}, "S": {"Sm", "Sc", "Sk", "So"}, "Z": {"Zs", "Zl", "Zp"},
	"C": {"Cc", "Cf", "Cs", "Co", "Cn"},
}

func category(name string) (set, bool) {
	if short, ok := categoryAliases[name]; ok {
		name = short
	}
	if group, ok := categoryGroups[name]; ok {
		key := "group " + name
		if v, ok := propertyCache.Load(key); ok {
			return v.(set), true
		}
		var all []set
		for _, g := range group {
			s, _ := category(g)
			all = append(all, s)
		}
		s := union(all...)
		propertyCache.Store(key, s)
		return s, true
	}
	if name == "Cn" {
		var all []set
		for line := range unicodeLines() {
			if strings.HasPrefix(line, "gc=") {
				s, _ := table(line)
				all = append(all, s)
			}
		}
		return union(all...).complement(), true
	}
	if len(name) != 2 {
		return nil, false
	}
	return table("gc=" + name)
}

// decodeRanges reads the form that unicodeText documents.
func decodeRanges(text string) set {
	var out set
	prev := int64(0)
	for _, part := range strings.Split(text, ",") {
		start, length, _ := strings.Cut(part, "-")
		a, _ := strconv.ParseInt(start, 36, 32) // the table is generated
		n := int64(0)
		if length != "" {
			n, _ = strconv.ParseInt(length, 36, 32)
		}
		lo := prev + a
		prev = lo + n
		out = append(out, interval{rune(lo), rune(prev)})
	}
	return out
}

var binaryAliases = map[string]string{
	"AHex": "ASCII_Hex_Digit", "Alpha": "Alphabetic", "Bidi_C": "Bidi_Control", "Bidi_M": "Bidi_Mirrored",
	"CI":   "Case_Ignorable",
	"CWCF": "Changes_When_Casefolded", "CWCM": "Changes_When_Casemapped", "CWKCF": "Changes_When_NFKC_Casefolded",
	"CWL": "Changes_When_Lowercased", "CWT": "Changes_When_Titlecased", "CWU": "Changes_When_Uppercased",
	"DI": "Default_Ignorable_Code_Point", "Dep": "Deprecated", "Dia": "Diacritic", "EBase": "Emoji_Modifier_Base",
	"EComp": "Emoji_Component", "EMod": "Emoji_Modifier", "EPres": "Emoji_Presentation",
	"ExtPict": "Extended_Pictographic",
	"Ext":     "Extender", "Gr_Base": "Grapheme_Base", "Gr_Ext": "Grapheme_Extend", "Hex": "Hex_Digit",
	"IDC": "ID_Continue",
	"IDS": "ID_Start", "IDSB": "IDS_Binary_Operator", "IDST": "IDS_Trinary_Operator", "Ideo": "Ideographic",
	"Join_C": "Join_Control",
	"LOE":    "Logical_Order_Exception", "Lower": "Lowercase", "NChar": "Noncharacter_Code_Point",
	"Pat_Syn": "Pattern_Syntax",
	"Pat_WS":  "Pattern_White_Space", "QMark": "Quotation_Mark", "RI": "Regional_Indicator", "SD": "Soft_Dotted",
	"STerm": "Sentence_Terminal", "Term": "Terminal_Punctuation", "UIdeo": "Unified_Ideograph", "Upper": "Uppercase",
	"VS": "Variation_Selector", "space": "White_Space", "XIDC": "XID_Continue", "XIDS": "XID_Start",
}

// scriptCode gives the four-letter code of a script's long name. Go's tables and Unicode agree on which characters
// begin a script, so the code is the line that contains the first character of Go's table; the newest scripts, which
// Go lacks, are listed.
func scriptCode(name string) string {
	switch name {
	case "Qaac":
		return "Copt"
	case "Qaai":
		return "Zinh"
	}
	if _, ok := unicodeLines()["sc="+name]; ok {
		return name
	}
	return scriptCodes()[name]
}

var scriptCodes = sync.OnceValue(func() map[string]string {
	codes := map[string]string{
		"Garay": "Gara", "Gurung_Khema": "Gukh", "Kirat_Rai": "Krai", "Ol_Onal": "Onao", "Sunuwar": "Sunu",
		"Todhri":        "Todr",
		"Tulu_Tigalari": "Tutg", "Beria_Erfe": "Berf", "Sidetic": "Sidt", "Tai_Yo": "Tayo", "Tolong_Siki": "Tols",
	}
	for line := range unicodeLines() {
		code, ok := strings.CutPrefix(line, "sc=")
		if !ok {
			continue
		}
		s, _ := table(line)
		for name, t := range unicode.Scripts {
			if unicode.Is(t, s[0].lo) || unicode.Is(t, s[len(s)-1].hi) {
				codes[name] = code
			}
		}
	}
	return codes
})

// stringProperty finds a property of strings (v flag).
func stringProperty(name string) (c content, known bool) {
	get := func(n string) set { s, _ := lookupProperty(n, "", false); return s }
	add := func(names ...string) {
		for _, n := range names {
			part, _ := stringProperty(n)
			c.chars = union(c.chars, part.chars)
			c.strings = append(c.strings, part.strings...)
		}
	}
	switch name {
	case "Basic_Emoji":
		c.chars = subtract(get("Emoji_Presentation"), get("Regional_Indicator"))
		for _, x := range subtract(
			get("Emoji"), union(get("Emoji_Presentation"), set{{'#', '#'}, {'*', '*'}, {'0', '9'}})) {
			for r := x.lo; r <= x.hi; r++ {
				c.strings = append(c.strings, []rune{r, 0xFE0F})
			}
		}
	case "Emoji_Keycap_Sequence":
		for _, r := range "#*0123456789" {
			c.strings = append(c.strings, []rune{r, 0xFE0F, 0x20E3})
		}
	case "RGI_Emoji_Modifier_Sequence":
		for _, x := range get("Emoji_Modifier_Base") {
			for r := x.lo; r <= x.hi; r++ {
				for m := rune(0x1F3FB); m <= 0x1F3FF; m++ {
					c.strings = append(c.strings, []rune{r, m})
				}
			}
		}
	case "RGI_Emoji_Tag_Sequence":
		for _, region := range []string{"gbeng", "gbsct", "gbwls"} {
			s := []rune{0x1F3F4}
			for _, r := range region {
				s = append(s, 0xE0000+r)
			}
			c.strings = append(c.strings, append(s, 0xE007F))
		}
	case "RGI_Emoji_Flag_Sequence":
		c.strings = sequences("flags")
	case "RGI_Emoji_ZWJ_Sequence":
		c.strings = sequences("zwj")
	case "RGI_Emoji":
		add("Basic_Emoji", "Emoji_Keycap_Sequence", "RGI_Emoji_Modifier_Sequence", "RGI_Emoji_Tag_Sequence",
			"RGI_Emoji_Flag_Sequence", "RGI_Emoji_ZWJ_Sequence")
	default:
		return c, false
	}
	return c, true
}

func sequences(line string) [][]rune {
	var out [][]rune
	for _, item := range strings.Split(unicodeLines()[line], ",") {
		var s []rune
		for _, part := range strings.Split(item, ".") {
			r, _ := strconv.ParseInt(part, 36, 32) // the table is generated
			s = append(s, rune(r))
		}
		out = append(out, s)
	}
	return out
}
