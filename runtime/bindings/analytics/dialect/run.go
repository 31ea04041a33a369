package dialect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Data is what a statement is about. Both functions run on the goroutine of [Statement.Run].
type Data struct {
	// Tables lists the datasets to which something was written.
	Tables func() ([]string, error)
	// Points calls f for each data point of a dataset, oldest first, until f returns false.
	Points func(dataset string, f func(Point) bool) error
	// Now is the time of now() and today().
	Now time.Time
}

// Width is how many blobs and doubles a data point has at most.
const Width = 20

// Point is a row of a table.
type Point struct {
	Dataset        string
	Time           time.Time
	SampleInterval int64
	Index          string
	Blobs          [Width]string
	Doubles        [Width]float64
}

// tableColumns are those of every table.
var tableColumns = func() []column {
	list := []column{{"dataset", stringKind}, {"timestamp", timeKind}, {"_sample_interval", uintKind},
		{"index1", stringKind}}
	for i := range Width {
		list = append(list, column{fmt.Sprintf("blob%d", i+1), stringKind})
	}
	for i := range Width {
		list = append(list, column{fmt.Sprintf("double%d", i+1), floatKind})
	}
	return list
}()

func (p *Point) row() []any {
	row := make([]any, 0, len(tableColumns))
	row = append(row, p.Dataset, p.Time.Unix(), p.SampleInterval, p.Index)
	for _, b := range p.Blobs {
		row = append(row, b)
	}
	for _, d := range p.Doubles {
		row = append(row, d)
	}
	return row
}

// Answer is a table of results.
type Answer struct {
	// Format is JSON, JSONEachRow or TabSeparated.
	Format  string
	columns []column
	rows    [][]any
}

// Run computes the answer. A [*Mistake] is an error of the statement; others come from the data or the context.
func (st *Statement) Run(ctx context.Context, data Data) (a *Answer, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Mistake:
			a, err = nil, r
		default:
			panic(r)
		}
	}()
	a = &Answer{Format: st.format}
	switch st.show {
	case "TABLES":
		names, err := data.Tables()
		if err != nil {
			return nil, err
		}
		a.fill("dataset", names)
		return a, nil
	case "TIMEZONES":
		a.fill("timezone", zones)
		return a, nil
	case "TIMEZONE":
		a.fill("timezone", []string{"Etc/UTC"})
		return a, nil
	}
	r := &run{ctx: ctx, data: data, src: &scanner{src: st.src}}
	a.columns, a.rows, err = r.query(st.query)
	return a, err
}

func (a *Answer) fill(name string, list []string) {
	a.columns = []column{{name, stringKind}}
	for _, s := range list {
		a.rows = append(a.rows, []any{s})
	}
}

// run is one run of a statement.
type run struct {
	ctx  context.Context
	data Data
	src  *scanner
	size int
}

// source is what a query is over: its columns, and a walk over its rows.
type source struct {
	columns []column
	walk    func(f func(row []any) bool) error
}

func (r *run) source(q *query) (source, error) {
	switch {
	case q.below != nil:
		columns, rows, err := r.query(q.below)
		return source{columns, func(f func([]any) bool) error {
			for _, row := range rows {
				if !f(row) {
					break
				}
			}
			return nil
		}}, err
	case q.table == "":
		return source{nil, func(f func([]any) bool) error { f(nil); return nil }}, nil
	}
	tables, err := r.data.Tables()
	if err != nil {
		return source{}, err
	}
	if !slices.Contains(tables, q.table) {
		have := "nothing was written to any yet"
		if len(tables) > 0 {
			have = "there are: " + strings.Join(tables, ", ")
		}
		return source{}, r.src.mistake(q.at, "unable to find the table %q: a dataset has one once a data point was "+
			"written to it; %s", q.table, have)
	}
	return source{tableColumns, func(f func([]any) bool) error {
		return r.data.Points(q.table, func(p Point) bool { return f(p.row()) })
	}}, nil
}

// walk goes through the rows that WHERE lets pass.
func (r *run) walk(src source, where *expr, f func(row []any) (more bool)) error {
	n := 0
	var canceled error
	err := src.walk(func(row []any) bool {
		if n++; n%1024 == 0 {
			if canceled = r.ctx.Err(); canceled != nil {
				return false
			}
		}
		if where == nil || truth(where.eval(&frame{row: row})) {
			return f(row)
		}
		return true
	})
	if err == nil {
		err = canceled
	}
	return err
}

// selection is a compiled query.
type selection struct {
	*query
	*scope
	src     source
	columns []column
	list    []expr
	where   *expr
	having  *expr
	keys    []expr
	order   []expr
	// before sorts rows in front of the aggregates, for first_value and last_value.
	before []expr
}

func (r *run) query(q *query) ([]column, [][]any, error) {
	src, err := r.source(q)
	if err != nil {
		return nil, nil, err
	}
	s := r.compile(q, src)
	var results []result
	if s.grouped {
		results, err = r.groups(s)
	} else {
		enough := q.limit >= 0 && len(q.order) == 0
		err = r.walk(src, s.where, func(row []any) bool {
			if enough && len(results)-q.offset >= q.limit {
				return false
			}
			results = append(results, s.result(&frame{row: row}))
			return true
		})
	}
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(results, func(a, b result) int { return s.compare(a.sort, b.sort) })
	rows := make([][]any, len(results))
	for i, res := range results {
		rows[i] = res.row
	}
	rows = rows[min(q.offset, len(rows)):]
	if q.limit >= 0 {
		rows = rows[:min(q.limit, len(rows))]
	}
	return s.columns, rows, nil
}

// result is a row of an answer with what it is sorted by.
type result struct{ row, sort []any }

func (s *selection) result(f *frame) result {
	var res result
	for _, e := range s.list {
		res.row = append(res.row, e.eval(f))
	}
	if len(s.before) == 0 {
		for _, e := range s.order {
			res.sort = append(res.sort, e.eval(f))
		}
	}
	return res
}

func (s *selection) compare(a, b []any) int {
	for i := range min(len(a), len(b)) {
		if c := compare(a[i], b[i]); c != 0 {
			if s.query.order[i].down {
				return -c
			}
			return c
		}
	}
	return 0
}

func (r *run) compile(q *query, src source) *selection {
	sc := &scope{src: r.src, now: r.data.Now.Unix(), columns: src.columns, aliases: map[string]*node{},
		open: map[string]bool{}, keys: map[string]int{}, size: r.size}
	defer func() { r.size = sc.size }()
	s := &selection{query: q, scope: sc, src: src}
	grouped := len(q.groups) > 0 || q.having != nil
	for _, e := range q.list {
		if e.alias != "" {
			sc.aliases[e.alias] = e.expr
		}
		grouped = grouped || aggregated(e.expr)
	}
	for _, o := range q.order {
		grouped = grouped || aggregated(o.expr)
	}
	if q.where != nil {
		e := sc.compile(q.where)
		s.where = &e
	}
	names := map[string]int{}
	for _, g := range q.groups {
		e := sc.compile(g)
		names[g.key()] = len(s.keys)
		if a := sc.aliases[g.text]; a != nil && g.kind == columnNode {
			names[a.key()] = len(s.keys)
		}
		s.keys, sc.keyKinds = append(s.keys, e), append(sc.keyKinds, e.kind)
	}
	sc.grouped, sc.keys = grouped, names
	for _, e := range q.list {
		if e.expr.kind == starNode {
			for _, c := range src.columns {
				n := &node{kind: columnNode, text: c.name, at: e.expr.at}
				s.list, s.columns = append(s.list, sc.compile(n)), append(s.columns, c)
			}
			continue
		}
		sc.open[e.alias] = true
		x := sc.compile(e.expr)
		delete(sc.open, e.alias)
		s.list, s.columns = append(s.list, x), append(s.columns, column{e.name(), x.kind})
	}
	if q.having != nil {
		e := sc.compile(q.having)
		s.having = &e
	}
	if grouped && len(q.groups) == 0 && ordersRows(q) {
		sc.grouped = false // ORDER BY is the order in which first_value sees the rows
		for _, o := range q.order {
			s.before = append(s.before, sc.compile(o.expr))
		}
		sc.grouped = true
		return s
	}
	for _, o := range q.order {
		s.order = append(s.order, sc.compile(o.expr))
	}
	return s
}

// ordersRows tells whether ORDER BY is about the rows in front of an aggregate that depends on their order.
func ordersRows(q *query) bool {
	depends := false
	for _, e := range q.list {
		key := e.expr.key()
		depends = depends || strings.Contains(key, `f"first_value"`) || strings.Contains(key, `f"last_value"`)
	}
	for _, o := range q.order {
		if aggregated(o.expr) {
			return false
		}
	}
	return depends
}

// group is the rows with the same keys.
type group struct {
	keys []any
	accs []accumulator
}

func (r *run) groups(s *selection) (results []result, err error) {
	at := map[string]*group{}
	var order []*group
	find := func(keys []any) *group {
		name := keyOf(keys)
		g := at[name]
		if g == nil {
			g = &group{keys: keys}
			for _, a := range s.aggregates {
				acc := a.start()
				if a.distinct {
					acc = distinctly{acc, map[string]bool{}}
				}
				g.accs = append(g.accs, acc)
			}
			at[name], order = g, append(order, g)
		}
		return g
	}
	if len(s.keys) == 0 {
		find(nil) // there is one group also of nothing
	}
	take := func(row []any) {
		f := &frame{row: row}
		var keys []any
		for _, k := range s.keys {
			keys = append(keys, k.eval(f))
		}
		g := find(keys)
		for i, a := range s.aggregates {
			var args []any
			for _, e := range a.args {
				args = append(args, e.eval(f))
			}
			g.accs[i].add(args)
		}
	}
	if err := r.rows(s, take); err != nil {
		return nil, err
	}
	for _, g := range order {
		f := &frame{keys: g.keys}
		for _, acc := range g.accs {
			f.aggs = append(f.aggs, acc.result())
		}
		if s.having == nil || truth(s.having.eval(f)) {
			results = append(results, s.result(f))
		}
	}
	return results, nil
}

// rows gives the rows to the groups, sorted first where their order matters.
func (r *run) rows(s *selection, take func(row []any)) error {
	if len(s.before) == 0 {
		return r.walk(s.src, s.where, func(row []any) bool { take(row); return true })
	}
	var all []result
	if err := r.walk(s.src, s.where, func(row []any) bool {
		res := result{row: row}
		for _, e := range s.before {
			res.sort = append(res.sort, e.eval(&frame{row: row}))
		}
		all = append(all, res)
		return true
	}); err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b result) int { return s.compare(a.sort, b.sort) })
	for _, res := range all {
		take(res.row)
	}
	return nil
}
