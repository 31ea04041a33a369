package bundle

import "strings"

// needsHostRegExp reports whether the engine would refuse a regular expression or, worse, match something else than the
// language says. Such literals are built by the host, which translates them. TestRegExpTraps is the list of what was
// found wrong in the engine, against answers known to be right.
func needsHostRegExp(source, flags string) bool {
	if strings.ContainsAny(flags, "uvdi") {
		return true
	}
	return strings.Contains(source, "(?") || strings.Contains(source, `\`)
}
