package explorer

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// MailList is the model of the mail that Workers have sent.
type MailList struct {
	// Folder has it; "" in a cluster, each of whose nodes has its own.
	Folder string    `json:"folder,omitempty"`
	Mail   []MailRow `json:"mail"`
	// Missing says which nodes do not tell what they have.
	Missing []string `json:"missing,omitempty"`
}

// MailRow is a message on one line.
type MailRow struct {
	File    string    `json:"file"`
	At      time.Time `json:"at"`
	Bytes   int64     `json:"bytes"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Subject string    `json:"subject"`
	// Node is that of a cluster which has it.
	Node string `json:"node,omitempty"`
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
		of("email/{file}", "mail", "One message.", x.oneMail, field{"node", "of a cluster, which has it"}),
	}
}

// own is what this session has of its own.
func (x *Server) own() Own { return Own{State: x.o.State, Clock: x.o.Clock} }

func (x *Server) mail(r *http.Request) (*MailList, error) {
	l := &MailList{Folder: x.o.State.Email(), Mail: []MailRow{}}
	var err error
	if x.o.Cluster == nil {
		l.Mail, err = x.own().mail()
		return l, err
	}
	l.Folder = ""
	l.Missing, err = askNodes(r.Context(), x.o.Cluster, "", url.Values{"what": {"mail"}},
		func(node string, list []MailRow) {
			for _, row := range list {
				row.Node = node
				l.Mail = append(l.Mail, row)
			}
		})
	slices.SortFunc(l.Mail, func(a, b MailRow) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Node, b.Node), cmp.Compare(a.File, b.File))
	})
	l.Mail = l.Mail[:min(len(l.Mail), mostMail)]
	return l, err
}

func (x *Server) oneMail(r *http.Request) (p *MailPage, err error) {
	file, node := r.PathValue("file"), r.URL.Query().Get("node")
	if x.o.Cluster == nil {
		p, err = x.own().message(file)
	} else {
		var absent []string
		absent, err = askNodes(r.Context(), x.o.Cluster, node, url.Values{"what": {"message"}, "file": {file}},
			func(node string, got *MailPage) {
				if got != nil {
					p = got
					p.Node = node
				}
			})
		if p == nil && len(absent) > 0 {
			return nil, missing("%s", strings.Join(absent, " "))
		}
	}
	if err == nil && p == nil {
		err = missing("there is no mail %s", file)
	}
	return p, err
}
