package coverage

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// row is a line of the text report.
type row struct {
	name  string
	of    Summary
	lines string
}

// rows are those of the report: everything, then each directory with its files. Files of the only directory stand by
// themselves.
func rows(files []*FileCoverage) []row {
	out := []row{{name: "All files", of: Summarize(files...)}}
	list := packages(files)
	for _, p := range list {
		indent := " "
		if len(list) > 1 {
			out = append(out, row{name: " " + p.name, of: Summarize(p.files...)})
			indent = "  "
		}
		for _, f := range p.files {
			out = append(out, row{indent + path.Base(filepath.ToSlash(f.Path)), Summarize(f), f.uncovered()})
		}
	}
	return out
}

func commonDir(dirs []string) string {
	if len(dirs) == 0 {
		return ""
	}
	common := strings.Split(dirs[0], "/")
	for _, dir := range dirs[1:] {
		parts := strings.Split(dir, "/")
		n := 0
		for n < len(common) && n < len(parts) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	return strings.Join(common, "/")
}

func relative(root, file string) string {
	if name, err := filepath.Rel(root, file); err == nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(file)
}

// writeText writes the table that istanbul writes.
func writeText(w io.Writer, files []*FileCoverage) error {
	list := rows(files)
	heads := []string{"File", "% Stmts", "% Branch", "% Funcs", "% Lines", "Uncovered Line #s "}
	var cells [][]string
	for _, r := range list {
		cells = append(cells, []string{r.name, number(r.of.Statements), number(r.of.Branches), number(r.of.Functions),
			number(r.of.Lines), r.lines})
	}
	width := make([]int, len(heads))
	for i, head := range heads {
		width[i] = len([]rune(head))
		for _, c := range cells {
			width[i] = max(width[i], len([]rune(c[i])))
		}
	}
	var b strings.Builder
	rule := func() {
		b.WriteString(strings.Repeat("-", width[0]+1))
		for _, n := range width[1:5] {
			b.WriteString("|" + strings.Repeat("-", n+2))
		}
		b.WriteString("|" + strings.Repeat("-", width[5]+1) + "\n")
	}
	line := func(c []string) {
		fmt.Fprintf(&b, "%-*s |", width[0], c[0])
		for i := 1; i < 5; i++ {
			fmt.Fprintf(&b, " %*s |", width[i], c[i])
		}
		fmt.Fprintf(&b, " %-*s\n", width[5], c[5])
	}
	rule()
	line(heads)
	rule()
	for _, c := range cells {
		line(c)
	}
	rule()
	_, err := io.WriteString(w, b.String())
	return err
}

func number(s Share) string { return strconv.FormatFloat(s.Percent, 'f', -1, 64) }

// writeSummary writes the totals alone.
func writeSummary(w io.Writer, files []*FileCoverage) error {
	s := Summarize(files...)
	var b strings.Builder
	title := " Coverage summary "
	b.WriteString("\n" + strings.Repeat("=", 31) + title + strings.Repeat("=", 31) + "\n")
	for _, x := range []struct {
		name string
		of   Share
	}{{"Statements", s.Statements}, {"Branches", s.Branches}, {"Functions", s.Functions}, {"Lines", s.Lines}} {
		fmt.Fprintf(&b, "%-13s: %s%% ( %d/%d )\n", x.name, number(x.of), x.of.Covered, x.of.Total)
	}
	b.WriteString(strings.Repeat("=", 80) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}
