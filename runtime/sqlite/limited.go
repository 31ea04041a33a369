package sqlite

import (
	"slices"
	"strconv"
	"strings"

	lib "modernc.org/sqlite/lib"
)

// The platform's SQLite is built with SQLITE_ENABLE_UPDATE_DELETE_LIMIT, which the build here lacks. With it SQLite
// rewrites
//
//	DELETE FROM t WHERE e RETURNING r ORDER BY o LIMIT n
//
// as a statement that it could run without it:
//
//	DELETE FROM t WHERE rowid IN (SELECT rowid FROM t WHERE e ORDER BY o LIMIT n) RETURNING r
//
// and UPDATE likewise; a table without row ids has its primary key in their place. The type limited does the same. It
// does not rewrite UPDATE … FROM with a LIMIT, which limits the rows of a join.

// limited is a statement with LIMIT, taken apart. The fields of type span are ranges of tokens.
type limited struct {
	verb          string // UPDATE or DELETE
	head          span   // up to and with the table's name and alias
	set           span   // SET and what follows, of an UPDATE
	schema, table string
	source        span // the table's alias, with AS
	index         span // INDEXED BY or NOT INDEXED
	where         span // the condition, without WHERE
	returning     span // with RETURNING
	order, limit  span // with ORDER BY, with LIMIT
	end           int  // in the text, behind the statement
	sql           string
	tokens        []token
}

type span struct{ from, to int }

func (s span) empty() bool { return s.from >= s.to }

// is tells whether token i is a keyword.
func (l *limited) is(i int, keyword string) bool {
	return i < len(l.tokens) && l.tokens[i].kind == tokenWord && strings.EqualFold(l.text(i), keyword)
}

func (l *limited) text(i int) string { return l.sql[l.tokens[i].start:l.tokens[i].end] }

// parseLimited takes the first statement of a text apart. It returns nil if that is not an UPDATE or DELETE with ORDER
// BY or LIMIT.
func parseLimited(sql string) *limited {
	l := &limited{sql: sql, tokens: tokens(sql), end: len(sql)}
	n := len(l.tokens)
	if n > 0 && l.tokens[n-1].kind == tokenSemicolon {
		n--
		l.end = l.tokens[n].end
	}
	at := 0
	if l.is(0, "WITH") {
		for at < n && !(l.tokens[at].depth == 0 && (l.is(at, "UPDATE") || l.is(at, "DELETE"))) {
			at++
		}
	}
	switch {
	case l.is(at, "DELETE") && l.is(at+1, "FROM"):
		l.verb, at = "DELETE", at+2
	case l.is(at, "UPDATE"):
		if l.verb, at = "UPDATE", at+1; l.is(at, "OR") {
			at += 2
		}
	default:
		return nil
	}
	if at = l.name(at, n); at < 0 {
		return nil
	}
	return l.clauses(at, n)
}

// name reads the table's name with its schema and alias, and the index. It returns the index of the next
// token, -1 if there is no name.
func (l *limited) name(at, n int) int {
	isName := func(i int) bool { return i < n && (l.tokens[i].kind == tokenWord || l.tokens[i].kind == tokenName) }
	if !isName(at) {
		return -1
	}
	l.schema, l.table = "main", unquote(l.text(at))
	if at++; at < n && l.tokens[at].kind == tokenDot {
		if !isName(at + 1) {
			return -1
		}
		l.schema, l.table, at = l.table, unquote(l.text(at+1)), at+2
	}
	alias := span{at, at}
	if l.is(at, "AS") {
		if !isName(at + 1) {
			return -1
		}
		at += 2
		alias.to = at
	}
	l.head, l.source = span{0, at}, alias
	switch {
	case l.is(at, "INDEXED") && l.is(at+1, "BY") && isName(at+2):
		l.index = span{at, at + 3}
	case l.is(at, "NOT") && l.is(at+1, "INDEXED"):
		l.index = span{at, at + 2}
	}
	if !l.index.empty() {
		at = l.index.to
	}
	return at
}

// clauses reads what follows the table.
func (l *limited) clauses(at, n int) *limited {
	ends := []struct {
		keyword string
		part    *span
	}{{"SET", &l.set}, {"WHERE", &l.where}, {"RETURNING", &l.returning}, {"ORDER", &l.order}, {"LIMIT", &l.limit}}
	next := 0
	var open *span
	for i := at; i < n; i++ {
		if l.tokens[i].depth != 0 || l.tokens[i].kind != tokenWord {
			continue
		}
		if l.is(i, "FROM") && !l.is(i-1, "DISTINCT") {
			return nil // UPDATE … FROM
		}
		for k := next; k < len(ends); k++ {
			if l.is(i, ends[k].keyword) {
				if open != nil {
					open.to = i
				}
				open, next = ends[k].part, k+1
				*open = span{i, n}
				break
			}
		}
	}
	if l.order.empty() && l.limit.empty() || (l.verb == "UPDATE") == l.set.empty() {
		return nil
	}
	if !l.where.empty() {
		l.where.from++
	}
	return l
}

// key is the columns that tell rows of the table apart.
func (l *limited) key(columns []column, withoutRowID bool) []string {
	if !withoutRowID {
		for _, name := range []string{"rowid", "oid", "_rowid_"} {
			if !slices.ContainsFunc(columns, func(c column) bool { return strings.EqualFold(c.name, name) }) {
				return []string{name}
			}
		}
		return nil
	}
	var primary []column
	for _, c := range columns {
		if c.primary > 0 {
			primary = append(primary, c)
		}
	}
	slices.SortFunc(primary, func(a, b column) int { return a.primary - b.primary })
	var names []string
	for _, c := range primary {
		names = append(names, quote(c.name))
	}
	return names
}

// column is one column of a table; primary is its place in the primary key, from 1.
type column struct {
	name    string
	primary int
}

// rewrite is the statement without LIMIT, with a map of offsets.
func (l *limited) rewrite(key []string) *rewritten {
	w := &rewritten{}
	numbers := l.parameters()
	part := func(s span) {
		w.add(" ", -1)
		for i := s.from; i < s.to; i++ {
			t := l.tokens[i]
			text := l.text(i)
			if n := numbers[i]; n > 0 {
				text = "?" + strconv.Itoa(n)
			}
			w.add(text, t.start)
			if i+1 < s.to {
				w.add(l.sql[t.end:l.tokens[i+1].start], t.end)
			}
		}
	}
	list := strings.Join(key, ", ")
	match := list
	if len(key) > 1 {
		match = "(" + list + ")"
	}
	part(l.head)
	part(l.set)
	w.add(" WHERE "+match+" IN (SELECT "+list+" FROM "+quote(l.schema)+"."+quote(l.table), -1)
	part(l.source)
	part(l.index)
	if !l.where.empty() {
		w.add(" WHERE", -1)
		part(l.where)
	}
	part(l.order)
	part(l.limit)
	w.add(")", -1)
	part(l.returning)
	return w
}

// parameters returns for every parameter, by its token, the number that it has in the order of the user's text. The
// rewritten statement has another order, because RETURNING moves to the end.
func (l *limited) parameters() map[int]int {
	numbers, names, last := map[int]int{}, map[string]int{}, 0
	for i, t := range l.tokens {
		if t.kind != tokenParameter {
			continue
		}
		text := l.text(i)
		n, known := names[text]
		switch given, err := strconv.Atoi(text[1:]); {
		case text[0] == '?' && err == nil:
			n = given
		case text == "?" || !known:
			n = last + 1
		}
		last = max(last, n)
		numbers[i], names[text] = n, n
	}
	return numbers
}

// rewritten is a text that was put together from parts of another.
type rewritten struct {
	sql  strings.Builder
	from [][2]int // where a part begins here, and there; -1 for one of our own
}

func (w *rewritten) add(text string, from int) {
	w.from = append(w.from, [2]int{w.sql.Len(), from})
	w.sql.WriteString(text)
}

// origin is the offset in the user's text, -1 if the place is not from there.
func (w *rewritten) origin(offset int) int {
	for _, part := range slices.Backward(w.from) {
		if part[0] <= offset {
			if part[1] < 0 {
				return -1
			}
			return part[1] + offset - part[0]
		}
	}
	return -1
}

// prepareLimited compiles an UPDATE or DELETE with LIMIT that SQLite has refused with an error.
func (db *DB) prepareLimited(sql string, refused error) (*Stmt, string, error) {
	l := parseLimited(sql)
	if l == nil {
		return nil, "", refused
	}
	if l.limit.empty() {
		return nil, "", &Error{Code: lib.SQLITE_ERROR, Message: "ORDER BY without LIMIT on " + l.verb, Offset: -1,
			Path: db.path}
	}
	columns, withoutRowID, err := db.tableColumns(l.table)
	if err != nil {
		return nil, "", err
	}
	key := l.key(columns, withoutRowID)
	if key == nil {
		key = []string{"rowid"} // a view, or no table of that name: SQLite's error says so
	}
	w := l.rewrite(key)
	st, _, err := db.prepare(w.sql.String(), Regulated)
	if e, ok := err.(*Error); ok && e.Offset >= 0 {
		e.Offset = w.origin(e.Offset)
	}
	return st, sql[l.end:], err
}

// tableColumns are the columns of a table of the main schema, none if there is no such table.
func (db *DB) tableColumns(table string) (columns []column, withoutRowID bool, err error) {
	ask := func(sql string, row func(*Stmt)) error {
		s, _, err := db.prepare(sql, Trusted)
		if err != nil {
			return err
		}
		defer s.Close()
		if err := s.BindText(1, table); err != nil {
			return err
		}
		for {
			more, err := s.Step()
			if err != nil || !more {
				return err
			}
			row(s)
		}
	}
	if err = ask("SELECT name, pk FROM pragma_table_xinfo(?, 'main')", func(s *Stmt) {
		columns = append(columns, column{s.Text(0), int(s.Int(1))})
	}); err != nil {
		return nil, false, err
	}
	err = ask("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'",
		func(s *Stmt) { withoutRowID = s.Int(0) != 0 })
	return columns, withoutRowID, err
}
