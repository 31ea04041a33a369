package bundle

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"eddy/runtime/lazyregexp"
)

// standsFor is the code that stands for a unit in the user's script.
func (u *unit) standsFor() string {
	call := fmt.Sprintf("%s(%d);\n", packagesFunc, u.number)
	var pattern, exports strings.Builder
	for i, name := range u.unused {
		fmt.Fprintf(&exports, "unused%d as %s, ", i, quote(name))
		call += fmt.Sprintf("var unused%d = /* @__PURE__ */ %s();\n", i, unusedFunc)
	}
	if len(u.names) == 0 {
		return call + "export { " + exports.String() + "};\n"
	}
	taken := map[string]bool{}
	for i, name := range u.names {
		if slices.Contains(u.live, name) {
			local := u.liveLocal(i)
			call += fmt.Sprintf("var %s = /* @__PURE__ */ %s();\n", local, liveFunc)
			fmt.Fprintf(&exports, "%s as %s, ", local, quote(name))
			continue
		}
		local := name
		if name == "default" {
			local = path.Base(u.specifier) + "_default"
		}
		local = notOfName.ReplaceAllString(local, "_")
		if reserved[local] || local == "" || local[0] >= '0' && local[0] <= '9' {
			local = "_" + local
		}
		for taken[local] {
			local += "_"
		}
		taken[local] = true
		fmt.Fprintf(&pattern, "%s: %s, ", quote(name), local)
		fmt.Fprintf(&exports, "%s as %s, ", local, quote(name))
	}
	if len(u.live) > 0 {
		object := u.liveObject()
		return fmt.Sprintf("var %s = %svar { %s} = %s;\nexport { %s};\n", object, call, pattern.String(), object,
			exports.String())
	}
	return fmt.Sprintf("var { %s} = %sexport { %s};\n", pattern.String(), call, exports.String())
}

var notOfName = lazyregexp.New(`[^\w$]`)

// reserved are the words that no variable of a module can have for a name.
var reserved = func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(`arguments
		await break case catch class const continue debugger default delete do
		else enum eval export extends false finally for function if implements import in
		instanceof interface let new null package private protected public return static
		super switch this throw true try typeof var void while with yield`) {
		words[word] = true
	}
	return words
}()

// standIn is what stands for the file that imports a unit: the import, and the mark.
func (u *unit) standIn(number int) string {
	var list, object strings.Builder
	for i, name := range u.names {
		fmt.Fprintf(&list, "%s as v%d, ", quote(name), i)
		fmt.Fprintf(&object, `, "v%d": v%d`, i, i)
	}
	load := "import "
	if len(u.names) > 0 {
		load = "import { " + list.String() + "} from "
	}
	return fmt.Sprintf("%s%s;\n%s__proto__: null, \"unit\": %d%s });\n", load, quote(u.specifier), unitMark, number,
		object.String())
}
