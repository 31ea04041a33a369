package explorer

import (
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
)

// MailPart is a part of a message as a person reads it. Text is "" for one that is no text.
type MailPart struct {
	Type  string `json:"type"`
	Name  string `json:"name,omitempty"`
	Bytes int    `json:"bytes"`
	Text  string `json:"text,omitempty"`
}

// mostParts bounds the parts that are shown, deepestPart how deep they may lie in one another.
const (
	mostParts   = 50
	deepestPart = 5
)

// headerText decodes the words of a header (RFC 2047). What cannot be decoded stays as it is.
func headerText(text string) string {
	if decoded, err := new(mime.WordDecoder).DecodeHeader(text); err == nil {
		return decoded
	}
	return text
}

// mailParts are the parts of a message, those within others after one another. What cannot be read ends the list: the
// source of the message has it all.
func mailParts(m *mail.Message) (list []MailPart) {
	addParts(&list, m.Header.Get, m.Body, 0)
	return list
}

func addParts(list *[]MailPart, header func(string) string, body io.Reader, depth int) {
	kind, params, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		kind = "text/plain"
	}
	if strings.HasPrefix(kind, "multipart/") && params["boundary"] != "" && depth < deepestPart {
		parts := multipart.NewReader(body, params["boundary"])
		for len(*list) < mostParts {
			p, err := parts.NextRawPart()
			if err != nil {
				return
			}
			addParts(list, p.Header.Get, p, depth+1)
		}
		return
	}
	switch strings.ToLower(header("Content-Transfer-Encoding")) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	// What was read before a part turned out to be damaged is shown.
	b, _ := io.ReadAll(body)
	part := MailPart{Type: kind, Bytes: len(b)}
	if _, d, err := mime.ParseMediaType(header("Content-Disposition")); err == nil {
		part.Name = headerText(d["filename"])
	}
	if strings.HasPrefix(kind, "text/") {
		part.Text = strings.ToValidUTF8(string(b[:min(len(b), shownOfMail)]), "\ufffd")
	}
	*list = append(*list, part)
}
