package report

import "strings"

// ShellWord quotes a word of a command line where a shell would take it apart: what is printed can be pasted.
func ShellWord(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`*?[](){}<>|&;#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
