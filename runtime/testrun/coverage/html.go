package coverage

import (
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

//go:embed page.html
var pageSource string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageSource))
})

type htmlPage struct {
	Title, Up string
	Rows      []htmlRow
	Lines     []htmlLine
}

type htmlRow struct {
	Name, Link string
	Shares     []htmlShare
}

type htmlShare struct {
	Class, Percent string
	Covered, Total int
}

type htmlLine struct {
	Class, Count, Text string
	Number             int
}

// htmlRowOf has the marks of istanbul: low below 50, high from 80 on.
func htmlRowOf(name, link string, s Summary) htmlRow {
	r := htmlRow{Name: name, Link: link}
	for _, share := range []Share{s.Statements, s.Branches, s.Functions, s.Lines} {
		class := "medium"
		if share.Percent < 50 {
			class = "low"
		} else if share.Percent >= 80 {
			class = "high"
		}
		r.Shares = append(r.Shares, htmlShare{class, number(share), share.Covered, share.Total})
	}
	return r
}

// writeHTML writes index.html and a page for each file.
func writeHTML(dir, root string, files []*FileCoverage) error {
	index := htmlPage{Title: "All files", Rows: []htmlRow{htmlRowOf("All files", "", Summarize(files...))}}
	for _, f := range files {
		name := relative(root, f.Path)
		link := strings.TrimPrefix(path.Clean("/"+name), "/") + ".html"
		index.Rows = append(index.Rows, htmlRowOf(name, link, Summarize(f)))
		of := htmlPage{Title: name, Up: strings.Repeat("../", strings.Count(link, "/")) + "index.html",
			Rows: []htmlRow{htmlRowOf(name, "", Summarize(f))}}
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return fmt.Errorf("coverage of %s: %w", f.Path, err)
		}
		of.Lines = f.htmlLines(string(text))
		if err := writePage(filepath.Join(dir, filepath.FromSlash(link)), of); err != nil {
			return err
		}
	}
	return writePage(filepath.Join(dir, "index.html"), index)
}

func (f *FileCoverage) htmlLines(text string) (out []htmlLine) {
	lines := f.Lines()
	partly := map[int]bool{}
	for i, ways := range f.BranchCounts {
		if slices.Contains(ways, 0) {
			partly[f.Branches[i].Line] = true
		}
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		l := htmlLine{Number: i + 1, Text: line}
		if count, ok := lines[i+1]; ok {
			l.Count, l.Class = fmt.Sprintf("%d×", count), "yes"
			if count == 0 {
				l.Class = "no"
			} else if partly[i+1] {
				l.Class = "partly"
			}
		}
		out = append(out, l)
	}
	return out
}

func writePage(file string, p htmlPage) error {
	return writeFile(file, func(w *os.File) error { return page().Execute(w, p) })
}
