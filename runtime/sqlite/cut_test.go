package sqlite

import (
	"slices"
	"testing"
)

func TestCut(t *testing.T) {
	for _, want := range [][]string{
		nil,
		{"select 1"},
		{"select 1;", " select 2;", "\n-- the end"},
		{"-- one; two\nselect ';', \"a;b\", [c;d], `e;f` /* ; */;", "select 'it''s;';"},
		{";", ";", "select 1"},
		{"create table \"trigger\" (\"end\");", "select 1;"},
		{"CREATE TRIGGER a AFTER INSERT ON t BEGIN update t set v = case when 1 then 2 end; delete from u; END;",
			" select 1;"},
		{"create temp trigger a delete on t begin select ';'; end ;", "select 2"},
		{"select 1;", " create trigger a delete on t begin select 1; select 2"}, // without its end it goes on
	} {
		var script string
		for _, s := range want {
			script += s
		}
		var got []string
		for rest := script; rest != ""; {
			var s string
			s, rest = Cut(rest)
			got = append(got, s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}
