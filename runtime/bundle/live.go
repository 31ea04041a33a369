package bundle

import (
	"fmt"
	"slices"
	"strings"

	"eddy/runtime/lazyregexp"
)

// What a package gives may be a property: of the exports of a CommonJS module, which can change later on, at any time.
// In one script each use of such a name reads the property. So it does in two: the unit's object has a getter, v and
// the number of the name, and the user's script reads it from the object at each use.
//
// A name stands for the use until esbuild is done with the user's script. It is as long as what is put in its place, so
// that no column moves:
//
//	$0$__eddy_live3$v2$()
//	(0,__eddy_live3.v2)()
const (
	liveObject = "__eddy_live"
	// liveFunc initializes the names, so that they are variables for esbuild. Nothing of it is left.
	liveFunc = "__eddy_value"
)

func (u *unit) liveObject() string { return fmt.Sprintf("%s%d", liveObject, u.number) }

func (u *unit) liveLocal(name int) string { return fmt.Sprintf("$0$%s$v%d$", u.liveObject(), name) }

var (
	liveUse    = lazyregexp.New(`\$0\$(` + liveObject + `\d+)\$(v\d+)\$`)
	liveVar    = lazyregexp.New(`(?m)^var ` + liveUse.String() + ` = (?:/\* @__PURE__ \*/ )?` + liveFunc + `\(\);$`)
	liveExport = lazyregexp.New(liveUse.String() + ` as `)
)

// readLive puts the objects' properties in the place of the names. It returns false if the entry exports one again.
func readLive(code string) (string, bool) {
	if !strings.Contains(code, liveObject) {
		return code, true
	}
	code = liveVar.ReplaceAllString(code, "")
	if liveExport.MatchString(code) || strings.Contains(code, liveFunc+"(") {
		return "", false
	}
	return liveUse.ReplaceAllString(code, "(0,$1.$2)"), true
}

// setLive notes which names of units are live. It returns whether any was another before.
func setLive(units []*unit, live [][]string) bool {
	changed := false
	for i, u := range units {
		changed = changed || !slices.Equal(u.live, live[i])
		u.live = live[i]
	}
	return changed
}

// isVariable finds the values of units that are variables, and not properties.
var isVariable = lazyregexp.New(`^[\pL_$][\pL\pN_$]*$`)

// unitKey is written before each value of a unit's object, with its number.
var unitKey = lazyregexp.New(`, "v(\d+)": `)

// liveUnits writes the objects that a script of units yields, with a getter for each value that is a property. It says
// which variables are given away, and which names are live. false says that an object is not what a stand-in asks for.
func liveUnits(code string, units []*unit) (string, map[string]bool, [][]string, bool) {
	var out strings.Builder
	given, live := map[string]bool{}, make([][]string, len(units))
	pieces := strings.Split(code, "\n"+unitMark)
	numbers := map[string]int{}
	for i := range units {
		numbers[fmt.Sprintf(`__proto__: null, "unit": %d`, i)] = i
	}
	out.WriteString(pieces[0])
	for _, piece := range pieces[1:] {
		object, rest, _ := strings.Cut(piece, "\n")
		object, closed := strings.CutSuffix(object, " });")
		keys := unitKey.FindAllStringSubmatchIndex(object, -1)
		head := object
		if len(keys) > 0 {
			head = object[:keys[0][0]]
		}
		n, known := numbers[head]
		if !closed || !known || len(keys) != len(units[n].names) {
			return "", nil, nil, false
		}
		out.WriteString("\n" + unitYield + "__proto__: null, ")
		for i, key := range keys {
			end := len(object)
			if i+1 < len(keys) {
				end = keys[i+1][0]
			}
			name, value := units[n].names[i], object[key[1]:end]
			if isVariable.MatchString(value) {
				given[value] = true
				fmt.Fprintf(&out, "%s: %s, ", quote(name), value)
				continue
			}
			live[n] = append(live[n], name)
			fmt.Fprintf(&out, "get v%d() { return %s }, ", i, value)
		}
		out.WriteString("});\n" + rest)
	}
	return out.String(), given, live, len(pieces) == len(units)+1
}
