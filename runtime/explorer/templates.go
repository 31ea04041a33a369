package explorer

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"eddy/runtime/control"
	"eddy/runtime/report"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed style.css icon.svg live.js idiomorph-0.8.0.js
var assetFiles embed.FS

// templates are those that were asked for, by name.
var templates sync.Map

// parsed is the template of a page, with the frame of all pages around it.
func parsed(name string) (*template.Template, error) {
	if t, ok := templates.Load(name); ok {
		return t.(*template.Template), nil
	}
	t, err := template.New("frame.html").Funcs(functions).ParseFS(pageFiles, "pages/frame.html", "pages/parts.html",
		"pages/"+name+".html")
	if err == nil {
		templates.Store(name, t)
	}
	return t, err
}

var functions = template.FuncMap{
	"line": report.Escape, "text": report.Lines, "path": url.PathEscape, "query": query,
	"base":  func() string { return Base },
	"stamp": stamp, "clock": clockTime, "bytes": size, "took": report.Duration, "pretty": pretty, "body": body,
	"cell": cell, "objectpath": objectPath, "lanepath": lanePath, "instancepath": instancePath,
	"list":   func(words ...string) []string { return words },
	"add":    func(a, b int) int { return a + b },
	"mul":    func(a, b int) int { return a * b },
	"tick":   func(b bool) string { return map[bool]string{true: "1"}[b] },
	"stores": func(kind string, rows []StoreRow, cluster bool) storeTable { return storeTable{kind, rows, cluster} },
	"many":   many, "short": short, "hexdump": hex.Dump,
	"millis":  func(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond },
	"deref":   func(t *time.Time) time.Time { return *t },
	"seconds": func(s int64) time.Duration { return time.Duration(s) * time.Second },
}

// asset serves a file of the pages.
func asset(w http.ResponseWriter, r *http.Request) {
	b, err := assetFiles.ReadFile(r.PathValue("name"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	header(w)
	http.ServeContent(w, r, r.PathValue("name"), time.Time{}, bytes.NewReader(b))
}

// query makes a query of names and values in turn; empty values are left out.
func query(pairs ...any) template.URL {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := fmt.Sprint(pairs[i+1]); v != "" {
			q.Set(fmt.Sprint(pairs[i]), v)
		}
	}
	return template.URL(q.Encode())
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// clockTime is a time for people, with its day unless that is today.
func clockTime(t time.Time) string {
	if t = t.UTC(); t.Format(time.DateOnly) != time.Now().UTC().Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04:05")
	}
	return t.Format("15:04:05.000")
}

func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func short(text string, n int) string {
	text = report.Escape(text)
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// pretty is JSON with an indent; other texts stay as they are.
func pretty(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return report.Lines(text)
	}
	return report.Lines(b.String())
}

// body is a body to look at: JSON with an indent, text as it is, bytes as hexadecimal.
func body(m control.MessageBody) string {
	switch {
	case m.Text != nil && m.ContentType == "json":
		return pretty(*m.Text)
	case m.Text != nil:
		return report.Lines(*m.Text)
	case m.Shown != "":
		return report.Lines(m.Shown)
	}
	return hex.Dump(m.Base64)
}

// editable is a body as it is edited: text, or base64.
func editable(m control.MessageBody) string {
	if m.Text != nil {
		return *m.Text
	}
	if utf8.Valid(m.Base64) && m.ContentType != "v8" {
		return string(m.Base64)
	}
	return base64.StdEncoding.EncodeToString(m.Base64)
}

// storeTable is a list of stores of one kind.
type storeTable struct {
	Kind    string
	Rows    []StoreRow
	Cluster bool
}

// cell is a value of a row.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return short(v, 400)
	case map[string]any:
		return short(fmt.Sprint("base64 ", v["base64"]), 80)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return short(fmt.Sprint(v), 400)
}
