package wrangler

import "strings"

// expandVars replaces $NAME, ${NAME} and ${NAME:-otherwise} in values of .env files: by the process variable if it
// may be seen, else by an earlier value of the files. \$ is a plain dollar sign. Values of .dev.vars stay as they are.
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

// maxExpansions bounds defaults within defaults.
const maxExpansions = 16

func expand(value string, lookup func(string) string, depth int) string {
	var b strings.Builder
	for i := 0; i < len(value); {
		switch {
		case strings.HasPrefix(value[i:], `\$`):
			b.WriteByte('$')
			i += 2
		case value[i] == '$':
			name, otherwise, length := reference(value[i:])
			if length == 0 {
				b.WriteByte('$')
				i++
				continue
			}
			found := lookup(name)
			if found == "" && depth < maxExpansions {
				found = expand(otherwise, lookup, depth+1)
			}
			b.WriteString(found)
			i += length
		default:
			b.WriteByte(value[i])
			i++
		}
	}
	return b.String()
}

// reference takes apart the reference at the start of s; length is 0 if there is none.
func reference(s string) (name, otherwise string, length int) {
	if strings.HasPrefix(s, "${") {
		depth := 0
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '{':
				depth++
			case '}':
				if depth--; depth > 0 {
					continue
				}
				name, otherwise, _ = strings.Cut(s[2:i], ":-")
				if name, plain, ok := strings.Cut(name, "-"); ok {
					return name, plain, i + 1
				}
				return name, otherwise, i + 1
			}
		}
		return "", "", 0
	}
	end := 1
	for end < len(s) && isDotenvName(s[end]) && s[end] != '-' && s[end] != '.' {
		end++
	}
	if end == 1 {
		return "", "", 0
	}
	return s[1:end], "", end
}
