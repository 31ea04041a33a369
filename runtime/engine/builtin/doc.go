// Package builtin is how built-ins of JavaScript are written in Go: functions with the right name, length and
// attributes, errors of the right class, strings as the standard counts them, and embedded scripts. The packages intl,
// json and regexp stand on it, and ecma, which puts them together.
//
// A [Builder] belongs to one runtime and its goroutine. [Scripts] are compiled once for each process and shared.
package builtin
