package explorer

import (
	"fmt"
	"net/mail"
	"strings"
	"testing"
)

const letter = "Subject: =?utf-8?q?Caf=C3=A9?=\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n" +
	"--a\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n" +
	"--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\nSXQgaXMgb24gaXRzIHdheS4=\r\n" +
	"--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
	"<b>caf=C3=A9</b>\r\n--b--\r\n" +
	"--a\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename=\"=?utf-8?q?=C3=A9.png?=\"\r\n" +
	"Content-Transfer-Encoding: base64\r\n\r\nAAEC\r\n--a--\r\n"

// A letter is shown as it is read: its words decoded, one part after the other.
func TestMailParts(t *testing.T) {
	for source, want := range map[string]string{
		letter: `Café [{text/plain  17 It is on its way.} {text/html  12 <b>café</b>} ` +
			`{image/png é.png 3 }]`,
		"Subject: a\r\n\r\n":                                       `a [{text/plain  0 }]`,
		"Subject: =?x?=\r\nContent-Type: ;\r\n\r\nhi":              `=?x?= [{text/plain  2 hi}]`,
		"Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n": ` []`,
	} {
		m, err := mail.ReadMessage(strings.NewReader(source))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(headerText(m.Header.Get("Subject")), " ", mailParts(m)); got != want {
			t.Errorf("%q is shown as\n%s, want\n%s", source, got, want)
		}
	}
}

func FuzzMailParts(f *testing.F) {
	f.Add([]byte(letter))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := mail.ReadMessage(strings.NewReader(string(b)))
		if err != nil {
			return
		}
		if parts := mailParts(m); len(parts) > mostParts {
			t.Errorf("%d parts", len(parts))
		}
	})
}
