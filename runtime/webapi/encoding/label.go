package encoding

import (
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// newer are labels of the standard that htmlindex does not know.
var newer = map[string]string{
	"unicode11utf8": "utf-8", "unicode20utf8": "utf-8", "x-unicode20utf8": "utf-8",
	"unicodefffe": "utf-16be", "csunicode": "utf-16le", "iso-10646-ucs-2": "utf-16le", "ucs-2": "utf-16le",
	"unicode": "utf-16le", "unicodefeff": "utf-16le",
}

// canonical is the name of the encoding that a label stands for, "" for none. Case and ASCII white space around it do
// not count (https://encoding.spec.whatwg.org/#concept-encoding-get). The replacement encoding counts as none, as in
// the TextDecoder constructor.
func canonical(label string) string {
	label = lowerASCII(strings.Trim(label, "\t\n\f\r "))
	if name, ok := newer[label]; ok {
		return name
	}
	// htmlindex.Get trims other white space too and folds more than ASCII.
	if strings.TrimSpace(label) != label || strings.ToLower(label) != label {
		return ""
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return ""
	}
	switch label {
	case "csiso88598i", "iso-8859-8-i", "logical":
		return "iso-8859-8-i"
	}
	name, err := htmlindex.Name(e)
	if err != nil || name == "replacement" {
		return ""
	}
	return name
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// newMachine makes the decoder of an encoding by its canonical name.
func newMachine(name string) machine {
	switch name {
	case "utf-8":
		return &utf8Machine{}
	case "utf-16le":
		return &utf16Machine{}
	case "utf-16be":
		return &utf16Machine{big: true}
	case "gbk", "gb18030":
		return &gb18030Machine{index: gbIndex()}
	case "big5":
		return &twoByteMachine{twoByteCode: big5{big5Index()}}
	case "euc-jp":
		return &eucJPMachine{jis0208: jis0208Index(), jis0212: jis0212Index()}
	case "iso-2022-jp":
		return &iso2022JPMachine{index: jis0208Index()}
	case "shift_jis":
		return &twoByteMachine{twoByteCode: shiftJIS{jis0208Index()}}
	case "euc-kr":
		return &twoByteMachine{twoByteCode: eucKR{eucKRIndex()}}
	case "iso-8859-8-i":
		return &singleMachine{table: charmap.ISO8859_8}
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		panic("encoding: no such encoding: " + name)
	}
	m, ok := e.(*charmap.Charmap)
	if !ok {
		panic("encoding: not a single-byte encoding: " + name)
	}
	return &singleMachine{table: m, c1: strings.HasPrefix(name, "windows-")}
}
