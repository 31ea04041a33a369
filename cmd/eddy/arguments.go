package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"eddy/runtime/lazyregexp"
)

// lists holds the flags of wrangler that take several values in a row, and the form that such a value has. A word of
// another form is the next argument: a script must not become a route.
var lists = map[string]*lazyregexp.Regexp{
	"compatibility-flags": lazyregexp.New(`^[a-z0-9_:]+$`), "compatibility-flag": lazyregexp.New(
		`^[a-z0-9_:]+$`),
	"var": lazyregexp.New(`^\w+:`), "define": lazyregexp.New(`^[\w.]+:`),
	"alias":  lazyregexp.New(`^[^:]+:.`),
	"routes": lazyregexp.New(`[.*]`), "route": lazyregexp.New(`[.*]`),
	"site-include": lazyregexp.New(`[.*]`), "site-exclude": lazyregexp.New(`[.*]`),
}

var scriptExtensions = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"}

// asWrangler rewrites those arguments of `eddy dev` that only yargs understands: several values behind one flag, and
// --no-X for a boolean flag X. It leaves out flags of wrangler's experiments and returns their names in dropped.
func asWrangler(args []string, fl *pflag.FlagSet) (out, dropped []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...), dropped
		}
		name, isFlag := strings.CutPrefix(arg, "--")
		if !isFlag {
			out = append(out, arg)
			continue
		}
		if bare, _, _ := strings.Cut(name, "="); strings.HasPrefix(bare, "experimental-") ||
			strings.HasPrefix(bare, "x-") {
			dropped = append(dropped, "--"+bare)
			continue
		}
		if on, ok := strings.CutPrefix(name, "no-"); ok && fl.Lookup(name) == nil {
			if f := fl.Lookup(on); f != nil && f.Value.Type() == "bool" {
				out = append(out, "--"+on+"=false")
				continue
			}
		}
		out = append(out, arg)
		form, isList := lists[name]
		if !isList || i+1 == len(args) {
			continue
		}
		i++
		out = append(out, args[i])
		for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && form.MatchString(args[i+1]) &&
			!slices.Contains(scriptExtensions, filepath.Ext(args[i+1])) {
			i++
			out = append(out, "--"+name, args[i])
		}
	}
	return out, dropped
}
