package email

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// builder is the object form of a message, as email.js makes it of the script's (BIND-12).
type builder struct {
	From        *mail.Address
	To, CC, BCC []*mail.Address
	ReplyTo     *mail.Address
	Subject     *string
	Text, HTML  *string
	Headers     map[string]string
	Attachments []attachment
}

type attachment struct {
	Disposition, ContentID, Filename, Type string
	Content                                []byte
}

var headerName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$")
})

// ofFields are headers that fields of the builder make.
var ofFields = []string{"from", "to", "cc", "bcc", "subject", "reply-to"}

// refusedHeaders are headers that the platform makes, beside those that begin with ARC-.
var refusedHeaders = []string{"received", "return-path", "dkim-signature", "date", "message-id", "mime-version",
	"content-type", "content-transfer-encoding", "feedback-id", "tls-required", "tls-report-domain",
	"tls-report-submitter", "cfbl-address", "cfbl-feedback-id"}

// badAddress is the first address that is none, "" for nothing.
func (b *builder) badAddress() string {
	all := append([]*mail.Address{b.From}, slices.Concat(b.To, b.CC, b.BCC)...)
	if b.ReplyTo != nil {
		all = append(all, b.ReplyTo)
	}
	for _, a := range all {
		if local, domain, ok := strings.Cut(a.Address, "@"); !ok || local == "" || domain == "" ||
			strings.ContainsAny(a.Address, " \r\n<>") {
			return a.Address
		}
	}
	return ""
}

// check holds a builder against production's limits (BIND-16, BIND-17).
func (b *builder) check() error {
	fail := func(code, format string, args ...any) error { return &Error{code, fmt.Sprintf(format, args...)} }
	recipients := len(b.To) + len(b.CC) + len(b.BCC)
	switch {
	case b.From == nil || b.From.Address == "":
		return fail("E_FIELD_MISSING", "from is required")
	case recipients == 0:
		return fail("E_FIELD_MISSING", "at least one of to, cc and bcc is required")
	case b.Subject == nil:
		return fail("E_FIELD_MISSING", "subject is required")
	case recipients > 50:
		return fail("E_TOO_MANY_RECIPIENTS", "%d recipients, expected at most 50", recipients)
	case len(b.Attachments) > 32:
		return fail("E_TOO_MANY_ATTACHMENTS", "%d attachments, expected at most 32", len(b.Attachments))
	case len([]rune(*b.Subject)) > 998:
		return fail("E_VALIDATION_ERROR", "subject is longer than 998 characters")
	}
	if a := b.badAddress(); a != "" {
		return fail("E_VALIDATION_ERROR", "%q is no email address", a)
	}
	total := 0
	for name, value := range b.Headers {
		total += len(name) + len(value)
		lower := strings.ToLower(name)
		switch {
		case !headerName().MatchString(name):
			return fail("E_HEADER_NAME_INVALID", "invalid header name %q", name)
		case slices.Contains(ofFields, lower):
			return fail("E_HEADER_USE_API_FIELD", "header %q: use the field of the message", name)
		case slices.Contains(refusedHeaders, lower), strings.HasPrefix(lower, "arc-"):
			return fail("E_HEADER_NOT_ALLOWED", "header %q is not allowed", name)
		case strings.ContainsAny(value, "\r\n\x00"):
			return fail("E_HEADER_VALUE_INVALID", "invalid value of header %q", name)
		case len(value) > 2048:
			return fail("E_HEADER_VALUE_TOO_LONG", "the value of header %q is longer than 2048 bytes", name)
		}
	}
	if total > 16<<10 {
		return fail("E_HEADERS_TOO_LARGE", "headers are longer than 16 KB together")
	}
	return nil
}

// mime makes the message. boundary stands between its parts, "" for a random one.
func (b *builder) mime(id, boundary string, now time.Time) ([]byte, error) {
	var out bytes.Buffer
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s: %s\r\n", name, value)
		}
	}
	line("From", b.From.String())
	line("To", list(b.To))
	line("Cc", list(b.CC))
	line("Bcc", list(b.BCC))
	if b.ReplyTo != nil {
		line("Reply-To", b.ReplyTo.String())
	}
	line("Subject", mime.QEncoding.Encode("utf-8", *b.Subject))
	line("Date", now.UTC().Format(time.RFC1123Z))
	line("Message-ID", id)
	for _, name := range slices.Sorted(maps.Keys(b.Headers)) {
		line(name, b.Headers[name])
	}
	line("MIME-Version", "1.0")
	w := multipart.NewWriter(&out)
	if boundary != "" {
		if err := w.SetBoundary(boundary); err != nil {
			return nil, err
		}
	}
	line("Content-Type", "multipart/mixed; boundary="+w.Boundary())
	out.WriteString("\r\n")
	part := func(kind, disposition, id string, content []byte) error {
		h := textproto.MIMEHeader{"Content-Type": {kind}, "Content-Transfer-Encoding": {"base64"}}
		if disposition != "" {
			h.Set("Content-Disposition", disposition)
		}
		if id != "" {
			h.Set("Content-ID", "<"+id+">")
		}
		p, err := w.CreatePart(h)
		if err == nil {
			_, err = p.Write([]byte(base64.StdEncoding.EncodeToString(content)))
		}
		return err
	}
	for _, body := range []struct {
		kind string
		text *string
	}{{"text/plain; charset=utf-8", b.Text}, {"text/html; charset=utf-8", b.HTML}} {
		if body.text != nil {
			if err := part(body.kind, "", "", []byte(*body.text)); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range b.Attachments {
		name := mime.FormatMediaType(a.Disposition, map[string]string{"filename": a.Filename})
		if err := part(a.Type, name, a.ContentID, a.Content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func list(all []*mail.Address) string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.String()
	}
	return strings.Join(texts, ", ")
}

func addressesOf(all []*mail.Address) []string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.Address
	}
	return texts
}
