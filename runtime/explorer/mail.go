package explorer

import (
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
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
		row, _ := x.readMail(f)
		l.Mail = append(l.Mail, row)
	}
	return l, nil
}

// readMail reads a message and its headers. What is no mail has its text only.
func (x *Server) readMail(f os.FileInfo) (MailRow, string) {
	row := MailRow{File: f.Name(), At: f.ModTime().UTC(), Bytes: f.Size()}
	b, err := os.ReadFile(filepath.Join(x.o.State.Email(), f.Name()))
	if err != nil {
		return row, err.Error()
	}
	if m, err := mail.ReadMessage(strings.NewReader(string(b))); err == nil {
		row.From, row.To, row.Subject = m.Header.Get("From"), m.Header.Get("To"), m.Header.Get("Subject")
	}
	return row, string(b[:min(len(b), shownOfMail)])
}

func (x *Server) oneMail(r *http.Request) (*MailPage, error) {
	files, err := x.mailFolder()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Name() == r.PathValue("file") {
			p := &MailPage{}
			p.MailRow, p.Text = x.readMail(f)
			return p, nil
		}
	}
	return nil, missing("there is no mail %s", r.PathValue("file"))
}
