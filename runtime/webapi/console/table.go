package console

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
)

// grid is a table. Each heading stands over a column of cells, which are found by the number of their row.
type grid struct {
	headings []string
	columns  []map[int]string
	rows     int
}

// column finds or adds a column.
func (g *grid) column(heading string) map[int]string {
	for k, h := range g.headings {
		if h == heading {
			return g.columns[k]
		}
	}
	cells := map[int]string{}
	g.headings, g.columns = append(g.headings, heading), append(g.columns, cells)
	return cells
}

// table prints rows of objects as a table; a value that is no object is logged as it is.
func (p *printer) table(args []goja.Value) {
	if len(args) == 0 {
		p.log(host.LevelLog, args)
		return
	}
	data, ok := args[0].(*goja.Object)
	if !ok {
		p.log(host.LevelLog, args[:1])
		return
	}
	var only []string
	if len(args) > 1 {
		if list, ok := args[1].(*goja.Object); ok && list.ClassName() == "Array" {
			for k := range int(list.Get("length").ToInteger()) {
				name := list.Get(strconv.Itoa(k))
				if name == nil {
					name = goja.Undefined()
				}
				only = append(only, name.String())
			}
		}
	}
	p.guarded(host.LevelLog, func() string { return p.render(p.grid(data, only)) })
}

// grid reads the table's data. A Map gives keys and values, a Set values; columns are those of the rows, or only those
// that were asked for.
func (p *printer) grid(data *goja.Object, only []string) *grid {
	in := intrinsicsOf(p.h)
	g := &grid{}
	switch export := data.ExportType(); {
	case export == mapType:
		n := int(must(in.mapSize(data)).ToInteger())
		it := must(in.mapEntries(data))
		index, keys, values := g.column("(iteration index)"), g.column("Key"), g.column("Values")
		for k := range n {
			pair := must(in.mapNext(it)).(*goja.Object).Get("value").(*goja.Object)
			index[k], keys[k], values[k] = strconv.Itoa(k), p.cell(pair.Get("0")), p.cell(pair.Get("1"))
		}
		g.rows = n
		return g
	case export == setType && data.ClassName() != "Array":
		n := int(must(in.setSize(data)).ToInteger())
		it := must(in.setValues(data))
		index, values := g.column("(iteration index)"), g.column("Values")
		for k := range n {
			index[k], values[k] = strconv.Itoa(k), p.cell(must(in.setNext(it)).(*goja.Object).Get("value"))
		}
		g.rows = n
		return g
	}
	index := g.column("(index)")
	for _, name := range only {
		g.column(name)
	}
	plainValues := map[int]string{}
	for k, key := range data.Keys() {
		g.rows++
		index[k] = key
		value := data.Get(key)
		row, ok := value.(*goja.Object)
		if _, isFunction := goja.AssertFunction(value); !ok || isFunction {
			plainValues[k] = p.cell(value)
			continue
		}
		names := only
		if names == nil {
			names = row.Keys()
		}
		for _, name := range names {
			if v := row.Get(name); v != nil && in.ownNamed(row, name).ok {
				g.column(name)[k] = p.cell(v)
			}
		}
	}
	if len(plainValues) > 0 {
		g.headings, g.columns = append(g.headings, "Values"), append(g.columns, plainValues)
	}
	return g
}

// cell shows a value on one line, without opening what is large.
func (p *printer) cell(v goja.Value) string {
	o := Defaults()
	o.Depth, o.MaxArrayLength, o.BreakLength = 0, 3, Unlimited
	if obj, ok := v.(*goja.Object); ok && obj.ClassName() != "Array" && len(obj.Keys()) > 2 {
		o.Depth = -1
	}
	return newInspector(p.h, o).value(v, 0, false)
}

func (p *printer) render(g *grid) string {
	widths := make([]int, len(g.headings))
	for k, h := range g.headings {
		widths[k] = width(h) + 2
		for _, cell := range g.columns[k] {
			widths[k] = max(widths[k], width(cell)+2)
		}
	}
	var b strings.Builder
	rule := func(left, middle, right string) {
		b.WriteString(left)
		for k, w := range widths {
			if k > 0 {
				b.WriteString(middle)
			}
			b.WriteString(strings.Repeat("─", w))
		}
		b.WriteString(right)
	}
	line := func(cell func(k int) string) {
		b.WriteString("\n│")
		for k, w := range widths {
			text := cell(k)
			b.WriteString(" " + text + strings.Repeat(" ", w-width(text)-1) + "│")
		}
	}
	rule("┌", "┬", "┐")
	line(func(k int) string { return g.headings[k] })
	b.WriteString("\n")
	rule("├", "┼", "┤")
	for row := range g.rows {
		line(func(k int) string { return g.columns[k][row] })
	}
	b.WriteString("\n")
	rule("└", "┴", "┘")
	return b.String()
}
