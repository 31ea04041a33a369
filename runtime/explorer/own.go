package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eddy/runtime/bindings/analytics"
	"eddy/runtime/bindings/analytics/dialect"
	"eddy/runtime/clock"
	"eddy/runtime/control"
	"eddy/runtime/statedir"
)

// Own is what pages show that each node of a cluster has of its own: the mail that Workers have sent there, and their
// data points. Any goroutine.
type Own struct {
	State statedir.Dir
	Clock clock.Clock
}

// Points is the answer to a query of data points; Failed says why there is none.
type Points struct {
	Rows   *control.Rows `json:"rows,omitempty"`
	Failed string        `json:"failed,omitempty"`
}

// Tell answers what the explorer of another node asks, as JSON: see [Nodes].
func (o Own) Tell(ctx context.Context, q url.Values) (any, error) {
	switch what := q.Get("what"); what {
	case "mail":
		return o.mail()
	case "message":
		return o.message(q.Get("file"))
	case "points":
		return o.points(ctx, q.Get("sql"))
	default:
		return nil, fmt.Errorf("a node tells no %q", what)
	}
}

// mail lists the newest messages, newest first.
func (o Own) mail() ([]MailRow, error) {
	list := []MailRow{}
	files, err := o.mailFolder()
	for _, f := range files[:min(len(files), mostMail)] {
		row, _, _ := o.readMail(f)
		list = append(list, row)
	}
	return list, err
}

// message is one message, nil if there is none of that name.
func (o Own) message(file string) (*MailPage, error) {
	files, err := o.mailFolder()
	for _, f := range files {
		if f.Name() == file {
			p := &MailPage{}
			var parts func() []MailPart
			p.MailRow, p.Text, parts = o.readMail(f)
			p.Parts = parts()
			return p, nil
		}
	}
	return nil, err
}

// mailFolder lists what Workers have sent, newest first.
func (o Own) mailFolder() ([]os.FileInfo, error) {
	entries, err := os.ReadDir(o.State.Email())
	if os.IsNotExist(err) {
		return nil, nil
	}
	var files []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".eml" {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	return files, err
}

// readMail reads a message, its headers and its parts. What is no mail has its text only.
func (o Own) readMail(f os.FileInfo) (row MailRow, text string, parts func() []MailPart) {
	row = MailRow{File: f.Name(), At: f.ModTime().UTC(), Bytes: f.Size()}
	parts = func() []MailPart { return []MailPart{} }
	b, err := os.ReadFile(filepath.Join(o.State.Email(), f.Name()))
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

// points carries out a query in the dialect of the SQL API.
func (o Own) points(ctx context.Context, sql string) (p Points, err error) {
	path := o.State.Analytics()
	if _, err := os.Stat(path); os.IsNotExist(err) || strings.TrimSpace(sql) == "" {
		return p, nil // nothing was written, or nothing is asked
	}
	s := analytics.New(analytics.Options{Path: path, Clock: o.Clock})
	answer, err := s.Query(ctx, sql)
	var mistake *dialect.Mistake
	switch err = errors.Join(err, s.Close()); {
	case errors.As(err, &mistake):
		return Points{Failed: mistake.Error()}, nil
	case err != nil:
		return p, err
	}
	p.Rows = &control.Rows{Columns: answer.Columns()}
	for i, row := range answer.Texts() {
		if p.Rows.Truncated = i == pageOfRows; p.Rows.Truncated {
			break
		}
		var cells []any
		for _, text := range row {
			cells = append(cells, text)
		}
		p.Rows.Rows = append(p.Rows.Rows, cells)
	}
	return p, nil
}

// askNodes asks nodes, or the one that is named, and calls told with each answer. missing says which gave none.
func askNodes[T any](ctx context.Context, c *Nodes, node string, q url.Values, told func(node string, answer T)) (
	missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, nodesPatience)
	defer cancel()
	failed, err := c.Ask(ctx, node, q, func(node string, text []byte) error {
		var answer T
		if err := json.Unmarshal(text, &answer); err != nil {
			return err
		}
		told(node, answer)
		return nil
	})
	for name, err := range failed {
		missing = append(missing, fmt.Sprintf("Node %s does not say what it has: %v.", name, err))
	}
	slices.Sort(missing)
	return missing, err
}
