package wrangler

import "strings"

// expandVars replaces $NAME, ${NAME}, ${NAME:-otherwise} and ${NAME:+instead} in values of .env files: by the process
// variable if it may be seen, else by an earlier value of the files. \$ is a plain dollar sign. Values of .dev.vars
// stay as they are.
func expandVars(vars []Var, process func(name string) string) {
	done := make(map[string]string, len(vars))
	lookup := func(name string) string {
		if value := process(name); value != "" {
			return value
		}
		return done[name]
	}
	for i := range vars {
		if own := process(vars[i].Name); own != "" {
			vars[i].Text = own
		} else {
			vars[i].Text = expand(vars[i].Text, lookup, 0)
		}
		done[vars[i].Name] = vars[i].Text
	}
}

// maxExpansions bounds how deep references may lie in the words of other references.
const maxExpansions = 16

func expand(value string, lookup func(string) string, depth int) string {
	var b strings.Builder
	for i := 0; i < len(value); {
		if strings.HasPrefix(value[i:], `\$`) {
			b.WriteByte('$')
			i += 2
			continue
		}
		ref, length := parseReference(value[i:])
		if length == 0 || depth == maxExpansions {
			b.WriteByte(value[i])
			i++
			continue
		}
		found := lookup(ref.name)
		if (found != "") == ref.wordIfSet {
			found = expand(ref.word, lookup, depth+1)
		} else if ref.wordIfSet {
			found = ""
		}
		b.WriteString(found)
		i += length
	}
	return b.String()
}

// envReference is one reference in a value. word takes the place of the variable if that is empty (:- and -), or if
// it is not (:+ and +).
type envReference struct {
	name, word string
	wordIfSet  bool
}

// parseReference takes apart the reference at the start of s; length is 0 if there is none.
func parseReference(s string) (ref envReference, length int) {
	if strings.HasPrefix(s, "${") {
		end := closingBrace(s)
		if end < 0 || end == len("${") {
			return ref, 0
		}
		inner := s[len("${"):end]
		i := strings.IndexAny(inner, "+-")
		if i < 0 {
			return envReference{name: inner}, end + 1
		}
		return envReference{name: strings.TrimSuffix(inner[:i], ":"), word: inner[i+1:], wordIfSet: inner[i] == '+'},
			end + 1
	}
	if len(s) < 2 || s[0] != '$' || '0' <= s[1] && s[1] <= '9' {
		return ref, 0
	}
	end := 1
	for end < len(s) && isDotenvName(s[end]) && s[end] != '-' && s[end] != '.' {
		end++
	}
	if end == 1 {
		return ref, 0
	}
	return envReference{name: s[1:end]}, end
}

// closingBrace returns the index of the brace that closes the ${ at the start of s, or -1.
func closingBrace(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
