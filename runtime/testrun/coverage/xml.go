package coverage

import (
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// xmlText is a text of XML; an element inside another one stands two blanks further right.
type xmlText struct {
	strings.Builder
	depth int
}

// escaping is what XML takes for its own in the value of an attribute.
var escaping = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// element writes one with its attributes, in pairs of a name and a value; inside is nil for an empty one.
func (x *xmlText) element(name string, inside func(), attributes ...any) {
	indent := strings.Repeat("  ", x.depth)
	x.WriteString(indent + "<" + name)
	for i := 0; i < len(attributes); i += 2 {
		fmt.Fprintf(x, ` %s="%s"`, attributes[i], escaping.Replace(fmt.Sprint(attributes[i+1])))
	}
	if inside == nil {
		x.WriteString("/>\n")
		return
	}
	x.WriteString(">\n")
	x.depth++
	inside()
	x.depth--
	x.WriteString(indent + "</" + name + ">\n")
}

// writeClover writes clover.xml as istanbul does: the form of Atlassian's Clover, where lines count as statements.
func writeClover(w io.Writer, files []*FileCoverage, now time.Time) error {
	x := &xmlText{}
	x.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	list := packages(files)
	metrics := func(s Summary, more ...any) {
		x.element("metrics", nil, append([]any{"statements", s.Lines.Total, "coveredstatements", s.Lines.Covered,
			"conditionals", s.Branches.Total, "coveredconditionals", s.Branches.Covered,
			"methods", s.Functions.Total, "coveredmethods", s.Functions.Covered}, more...)...)
	}
	all := func() {
		s := Summarize(files...)
		metrics(s, "elements", s.Lines.Total+s.Branches.Total+s.Functions.Total,
			"coveredelements", s.Lines.Covered+s.Branches.Covered+s.Functions.Covered, "complexity", 0,
			"loc", s.Lines.Total, "ncloc", s.Lines.Total, "packages", len(list),
			"files", len(files), "classes", len(files))
		for _, p := range list {
			inside := func() {
				for _, f := range p.files {
					x.element("file", func() { metrics(Summarize(f)); x.cloverLines(f) },
						"name", path.Base(filepath.ToSlash(f.Path)), "path", f.Path)
				}
			}
			if p.name == "" {
				inside()
				continue
			}
			x.element("package", func() { metrics(Summarize(p.files...)); inside() }, "name", p.dotted())
		}
	}
	at := now.UnixMilli()
	x.element("coverage", func() { x.element("project", all, "timestamp", at, "name", "All files") },
		"generated", at, "clover", "3.2.0")
	_, err := io.WriteString(w, x.String())
	return err
}

func (x *xmlText) cloverLines(f *FileCoverage) {
	lines, branches := f.Lines(), f.conditions()
	for _, n := range slices.Sorted(maps.Keys(lines)) {
		if c, ok := branches[n]; ok {
			x.element("line", nil, "num", n, "count", lines[n], "type", "cond", "truecount", c.covered,
				"falsecount", c.total-c.covered)
			continue
		}
		x.element("line", nil, "num", n, "count", lines[n], "type", "stmt")
	}
}

// writeCobertura writes cobertura-coverage.xml, the form of Cobertura 0.4 as istanbul fills it.
func writeCobertura(w io.Writer, root string, files []*FileCoverage, now time.Time) error {
	x := &xmlText{}
	x.WriteString("<?xml version=\"1.0\" ?>\n" +
		"<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n")
	s := Summarize(files...)
	x.element("coverage", func() {
		x.element("sources", func() { x.WriteString("    <source>" + escaping.Replace(root) + "</source>\n") })
		x.element("packages", func() {
			for _, p := range packages(files) {
				name, of := p.dotted(), Summarize(p.files...)
				if name == "" {
					name = "main"
				}
				x.element("package", func() {
					x.element("classes", func() {
						for _, f := range p.files {
							x.class(root, f)
						}
					})
				}, "name", name, "line-rate", rate(of.Lines), "branch-rate", rate(of.Branches))
			}
		})
	}, "lines-valid", s.Lines.Total, "lines-covered", s.Lines.Covered, "line-rate", rate(s.Lines),
		"branches-valid", s.Branches.Total, "branches-covered", s.Branches.Covered, "branch-rate", rate(s.Branches),
		"timestamp", now.UnixMilli(), "complexity", 0, "version", "0.1")
	_, err := io.WriteString(w, x.String())
	return err
}

func (x *xmlText) class(root string, f *FileCoverage) {
	s := Summarize(f)
	x.element("class", func() {
		x.element("methods", func() {
			for i, fn := range f.Functions {
				hits := f.FunctionCounts[i]
				x.element("method", func() {
					x.element("lines", func() { x.element("line", nil, "number", fn.Line, "hits", hits) })
				}, "name", fn.Name, "hits", hits, "signature", "()V")
			}
		})
		x.element("lines", func() {
			lines, branches := f.Lines(), f.conditions()
			for _, n := range slices.Sorted(maps.Keys(lines)) {
				attributes := []any{"number", n, "hits", lines[n]}
				if c, ok := branches[n]; ok {
					attributes = append(attributes, "branch", true, "condition-coverage", fmt.Sprintf("%s%% (%d/%d)",
						strconv.FormatFloat(float64(c.covered)/float64(c.total)*100, 'f', -1, 64), c.covered, c.total))
				} else {
					attributes = append(attributes, "branch", false)
				}
				x.element("line", nil, attributes...)
			}
		})
	}, "name", path.Base(filepath.ToSlash(f.Path)), "filename", relative(root, f.Path), "line-rate", rate(s.Lines),
		"branch-rate", rate(s.Branches))
}

// rate is a share between 0 and 1.
func rate(s Share) string { return strconv.FormatFloat(s.Percent/100, 'f', -1, 64) }
