package explorer

import (
	"bytes"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"time"
)

// MailList is the model of the mail that Workers have sent.
type MailList struct {
	Folder string    `json:"folder"`
	Mail   []MailRow `json:"mail"`
}

// MailRow is a message on one line.
type MailRow struct {
	File    string    `json:"file"`
	At      time.Time `json:"at"`
	Bytes   int64     `json:"bytes"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Subject string    `json:"subject"`
}

// MailPage is the model of one message.
type MailPage struct {
	MailRow
	Parts []MailPart `json:"parts"`
	// Text is its source.
	Text string `json:"text"`
}

// mostMail is how many messages are listed, shownOfMail how many bytes of one are shown.
const (
	mostMail    = 200
	shownOfMail = 256 << 10
)

func (x *Server) mailPages() []page {
	return []page{
		of("email", "email", "Mail that Workers have sent, forwarded and replied with.", x.mail),
		of("email/{file}", "mail", "One message.", x.oneMail),
	}
}

func (x *Server) mail(*http.Request) (*MailList, error) {
	l := &MailList{Folder: x.o.State.Email(), Mail: []MailRow{}}
	files, err := x.mailFolder()
	if err != nil {
		return nil, err
	}
	for _, f := range files[:min(len(files), mostMail)] {
		row, _, _ := x.readMail(f)
		l.Mail = append(l.Mail, row)
	}
	return l, nil
}

// readMail reads a message, its headers and its parts. What is no mail has its text only.
func (x *Server) readMail(f os.FileInfo) (row MailRow, text string, parts func() []MailPart) {
	row = MailRow{File: f.Name(), At: f.ModTime().UTC(), Bytes: f.Size()}
	parts = func() []MailPart { return []MailPart{} }
	b, err := os.ReadFile(filepath.Join(x.o.State.Email(), f.Name()))
	if err != nil {
		return row, err.Error(), parts
	}
	if m, err := mail.ReadMessage(bytes.NewReader(b)); err == nil {
		row.From, row.To = headerText(m.Header.Get("From")), headerText(m.Header.Get("To"))
		row.Subject = headerText(m.Header.Get("Subject"))
		parts = func() []MailPart { return mailParts(m) }
	}
	return row, string(b[:min(len(b), shownOfMail)]), parts
}

func (x *Server) oneMail(r *http.Request) (*MailPage, error) {
	files, err := x.mailFolder()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Name() == r.PathValue("file") {
			p := &MailPage{}
			var parts func() []MailPart
			p.MailRow, p.Text, parts = x.readMail(f)
			p.Parts = parts()
			return p, nil
		}
	}
	return nil, missing("there is no mail %s", r.PathValue("file"))
}
