package sqlite

import "strings"

// Cut takes the first statement off a script, with its semicolon and the comments in front of it. A script may be
// longer than SQLite's longest statement, so it must be prepared one statement at a time. The body of a trigger has
// statements of its own and ends with "; END ;", as sqlite3_complete has it.
func Cut(script string) (statement, rest string) {
	trigger, n := false, 0
	var last, before string // the words and signs in front of the present one
	for at := 0; at < len(script); {
		kind, end := nextToken(script, at)
		if kind < 0 {
			at = end
			continue
		}
		n++
		this := ""
		if kind == tokenWord && end-at <= len("TEMPORARY") {
			this = strings.ToUpper(script[at:end])
		}
		switch {
		case kind == tokenSemicolon && (!trigger || last == "END" && before == ";"):
			return script[:end], script[end:]
		case kind == tokenSemicolon:
			this = ";"
		case this == "TRIGGER":
			temporary := n == 3 && before == "CREATE" && strings.HasPrefix(last, "TEMP")
			trigger = trigger || temporary || n == 2 && last == "CREATE"
		}
		last, before = this, last
		at = end
	}
	return script, ""
}
