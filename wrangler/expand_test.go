package wrangler

import "testing"

func TestExpand(t *testing.T) {
	env := map[string]string{"A": "1", "EMPTY": "", "A_B": "2"}
	tests := []struct{ in, want string }{
		{"$A", "1"}, {"${A}", "1"}, {"x${A}y$A", "x1y1"}, {"$A_B", "2"}, {"$NONE", ""}, {"${NONE}", ""},
		{"${NONE:-d}", "d"}, {"${NONE-d}", "d"}, {"${EMPTY:-d}", "d"}, {"${A:-d}", "1"}, {"${A:+d}", "d"},
		{"${A+d}", "d"}, {"${NONE:+d}", ""},
		{"${NONE:-${A}}", "1"}, {"${NONE:-${NONE:-${A_B}}}", "2"},
		{`\$A`, "$A"}, {`\${A}`, "${A}"}, {"$", "$"}, {"$$A", "$1"}, {"${", "${"}, {"${}", "${}"}, {"$1", "$1"},
		{"100%", "100%"}, {"é$A", "é1"},
	}
	for _, test := range tests {
		if got := expand(test.in, func(name string) string { return env[name] }, 0); got != test.want {
			t.Errorf("%q became %q, want %q", test.in, got, test.want)
		}
	}
}

func TestExpandInOrder(t *testing.T) {
	vars := []Var{{Name: "B", Text: "$A"}, {Name: "A", Text: "1"}, {Name: "C", Text: "$A$P"}, {Name: "Q", Text: "file"}}
	process := map[string]string{"P": "p", "Q": "process"}
	expandVars(vars, func(name string) string { return process[name] })
	for i, want := range []string{"", "1", "1p", "process"} {
		if vars[i].Text != want {
			t.Errorf("%s is %q, want %q", vars[i].Name, vars[i].Text, want)
		}
	}
}
