package journal

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/bits"
	"net/url"
	"slices"
	"strings"
)

// secrets are the values that are hidden, in all the forms that are looked for.
type secrets struct {
	forms []string // longest first
	// starts has a bit for each group of four bytes, by its hash, with which a form begins: most texts hold none, and
	// are read once, however many forms there are.
	starts [1 << 10]uint64
}

// shortestCoded is the length of a secret's base64 that is looked for.
const shortestCoded = 6

// with are the secrets with a further value: as it is, as JSON and as URLs have it, and in base64 and hexadecimal, as
// credentials are made of it.
func (s *secrets) with(value string) *secrets {
	out := &secrets{}
	if s != nil {
		out.forms = slices.Clone(s.forms)
	}
	forms := []string{value, hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value)))}
	if text, err := json.Marshal(value); err == nil {
		forms = append(forms, string(text[1:len(text)-1]))
	}
	for _, coded := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for before := range 3 {
			if text := middle(coded, value, before); len(text) >= shortestCoded {
				forms = append(forms, text)
			}
		}
	}
	for _, form := range forms {
		for _, form := range []string{form, url.QueryEscape(form), url.PathEscape(form)} {
			if !slices.Contains(out.forms, form) {
				out.forms = append(out.forms, form)
			}
		}
	}
	slices.SortStableFunc(out.forms, func(a, b string) int { return len(b) - len(a) })
	for _, form := range out.forms {
		word, bit := startOf([]byte(form[:shortest]))
		out.starts[word] |= bit
	}
	return out
}

// middle is what of a value's base64 no other text around it can change, if so many bytes are before it in the group of
// three that it begins in.
func middle(coded *base64.Encoding, value string, before int) string {
	text := coded.EncodeToString(append(make([]byte, before, before+len(value)), value...))
	return text[(before*8+5)/6 : (before+len(value))*8/6]
}

// startOf is where the bit of four bytes is.
func startOf(four []byte) (word int, bit uint64) {
	h := bits.RotateLeft32(binary.LittleEndian.Uint32(four)*0x9e3779b1, 16) & 0xffff
	return int(h >> 6), 1 << (h & 63)
}

// mayHave tells whether a text may hold a form; if not, it holds none.
func mayHave[T string | []byte](s *secrets, text T) bool {
	var four uint32
	for i := range len(text) {
		four = four>>8 | uint32(text[i])<<24
		if i < shortest-1 {
			continue
		}
		if h := bits.RotateLeft32(four*0x9e3779b1, 16) & 0xffff; s.starts[h>>6]&(1<<(h&63)) != 0 {
			return true
		}
	}
	return false
}
