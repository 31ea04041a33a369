package journal

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
)

// A secret is hidden in base64, wherever in a longer text it stands, and in hexadecimal; what is around it stays.
func TestSecretForms(t *testing.T) {
	const secret = "s3cr3t/Value+42=="
	var r Redactor
	r.Hide(secret, "another one")
	for before := range 7 {
		for after := range 4 {
			for name, coded := range map[string]*base64.Encoding{"std": base64.StdEncoding, "url": base64.URLEncoding,
				"raw std": base64.RawStdEncoding, "raw url": base64.RawURLEncoding} {
				text := strings.Repeat("a", before) + secret + strings.Repeat("z", after)
				for _, whole := range []string{coded.EncodeToString([]byte(text)),
					url.QueryEscape(coded.EncodeToString([]byte(text)))} {
					e := &Entry{Logs: []Log{{Message: `["Basic ` + whole + ` end"]`}}}
					r.Redact(e)
					got := e.Logs[0].Message
					if strings.Count(got, "*") < len(secret) || !strings.HasPrefix(got, `["Basic `) ||
						!strings.HasSuffix(got, ` end"]`) {
						t.Errorf("%s, %d before, %d after: %s", name, before, after, got)
					}
				}
			}
		}
	}
	for _, form := range []string{hex.EncodeToString([]byte(secret)),
		strings.ToUpper(hex.EncodeToString([]byte(secret)))} {
		e := &Entry{Outgoing: []Subrequest{{Body: []byte("x" + form + "y")}}}
		r.Redact(e)
		if want := "x" + strings.Repeat("*", len(form)) + "y"; string(e.Outgoing[0].Body) != want {
			t.Errorf("%s became %s", form, e.Outgoing[0].Body)
		}
	}
}

// A text that holds no form is left as it is, also where parts of one stand in it.
func TestSecretIsElsewhere(t *testing.T) {
	var r Redactor
	r.Hide("hush-hush", "four")
	for _, text := range []string{"", "hus", "hush", "hush-hus", "fou", "ZmZm", strings.Repeat("hush ", 99)} {
		e := &Entry{Logs: []Log{{Message: text}}}
		if r.Redact(e); e.Logs[0].Message != text {
			t.Errorf("%q became %q", text, e.Logs[0].Message)
		}
	}
}

func BenchmarkRedact(b *testing.B) {
	var r Redactor
	r.Hide("first-of-the-secrets", "2nd/secret+of+five", "the third one", "4th-0123456789abcdef", "fifth, with spaces")
	b.ReportAllocs()
	for b.Loop() {
		r.Redact(batch())
	}
}
