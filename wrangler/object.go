package wrangler

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// reader is what every reading function needs: the file being read and where to put findings.
type reader struct {
	src *source
	rep *report
}

func (r *reader) errorAt(where span, text, fix string, notes ...string) {
	r.rep.add(at(r.src, where, Error, text, fix, notes...))
}

func (r *reader) warnAt(where span, text, fix string, notes ...string) {
	r.rep.add(at(r.src, where, Warning, text, fix, notes...))
}

// assign writes key and value as they look in this file's format.
func (r *reader) assign(key, json string) string {
	if r.src.format == TOML {
		return key + " = " + json
	}
	return quoteJSON(key) + ": " + json
}

// phrasing selects the sentence the reference uses for a missing or mistyped member; it differs between sections.
type phrasing uint8

const (
	fieldPhrase   phrasing = iota // "dev.port" is a required field.
	bindingPhrase                 // "kv_namespaces[0]" bindings should have a string "binding" field but got {…}.
	entryPhrase                   // "queues.consumers[0]" should have a string "queue" field but got {…}.
)

// object reads the members of one object of the file. Every member that is asked for counts as known; finish warns
// about the others.
type object struct {
	*reader
	path   string // as named in messages, e.g. queues.consumers[0]
	n      *node
	phrase phrasing
	known  []string
}

// open starts reading n as an object; with anything else it reports the mistake and returns false.
func (r *reader) open(path string, n *node, phrase phrasing) (*object, bool) {
	if n.kind == objectNode {
		return &object{reader: r, path: path, n: n, phrase: phrase}, true
	}
	text := fmt.Sprintf("The field %q should be an object but got %s.", path, n.shortJSON())
	switch phrase {
	case bindingPhrase:
		text = fmt.Sprintf("%q bindings should be objects, but got %s", path, n.shortJSON())
	case entryPhrase:
		text = fmt.Sprintf("%q should be an object, but got %s", path, n.shortJSON())
	}
	r.errorAt(n.span, text, "write an object", "Expected an object, found "+article(n.typeName())+".")
	return nil, false
}

// list returns the elements of n, which must be an array.
func (r *reader) list(path string, n *node) []*node {
	if n.kind != arrayNode {
		r.errorAt(n.span, fmt.Sprintf("The field %q should be an array but got %s.", path, n.shortJSON()),
			"put the value in square brackets", "Expected an array, found "+article(n.typeName())+".")
		return nil
	}
	return n.items
}

// pos is the place of the object.
func (o *object) pos() Pos { return o.src.pos(o.n.span.start) }

// pathOf names a member in messages.
func (o *object) pathOf(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

// member looks a key up and notes that it is known.
func (o *object) member(key string) *node {
	o.known = append(o.known, key)
	return o.n.get(key)
}

// accept marks keys as known whose values are not read.
func (o *object) accept(keys ...string) { o.known = append(o.known, keys...) }

// spanOf is the place of a member's value, or of the object when it has no such member.
func (o *object) spanOf(key string) span {
	if v := o.n.get(key); v != nil {
		return v.span
	}
	return o.n.span
}

// missing reports a member that has to be there. example is a JSON value that would do.
func (o *object) missing(key, typ, example string) {
	text := fmt.Sprintf("%q is a required field.", o.pathOf(key))
	switch o.phrase {
	case bindingPhrase:
		text = fmt.Sprintf("%q bindings should have a %s %q field but got %s.", o.path, typ, key, o.n.shortJSON())
	case entryPhrase:
		text = fmt.Sprintf("%q should have a %s %q field but got %s.", o.path, typ, key, o.n.shortJSON())
	}
	o.errorAt(o.n.span, text, "add "+o.assign(key, example))
}

// mistyped reports a member of the wrong type.
func (o *object) mistyped(key, typ string, required bool) {
	v := o.n.get(key)
	optionally := ", optionally,"
	if required {
		optionally = ""
	}
	text := fmt.Sprintf("Expected %q to be of type %s but got %s.", o.pathOf(key), typ, v.shortJSON())
	switch o.phrase {
	case bindingPhrase:
		text = fmt.Sprintf(
			"%q bindings should%s have %s %q field but got %s.", o.path, optionally, article(typ), key, o.n.shortJSON())
	case entryPhrase:
		text = fmt.Sprintf(
			"%q should%s have %s %q field but got %s.", o.path, optionally, article(typ), key, o.n.shortJSON())
	}
	o.errorAt(v.span, text, o.retype(key, typ, v),
		fmt.Sprintf("Expected %s, found %s.", article(typ), article(v.typeName())))
}

// retype says how to turn v into the type that was expected.
func (o *object) retype(key, typ string, v *node) string {
	if v.kind == nullNode {
		return "remove " + quoteJSON(key) + ", or write " + article(typ)
	}
	switch typ {
	case "string":
		if v.kind == numberNode || v.kind == boolNode || v.kind == dateNode {
			return "put the value in quotes: " + o.assign(key, quoteJSON(strings.Trim(v.json(), `"`)))
		}
	case "number":
		if v.kind == stringNode {
			if f, err := strconv.ParseFloat(v.text, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
				return "remove the quotes: " + o.assign(key, formatNumber(f))
			}
			if unit, name := unitOf(key); unit > 0 {
				if d, ok := spelledDuration(v.text); ok {
					return fmt.Sprintf("write the number of %s: %s", name,
						o.assign(key, formatNumber(float64(d)/float64(unit))))
				}
				return "write the number of " + name
			}
		}
	case "boolean":
		if v.kind == stringNode && (v.text == "true" || v.text == "false") {
			return "remove the quotes: " + o.assign(key, v.text)
		}
	case "string array":
		if v.kind == stringNode {
			return "put the value in square brackets: " + o.assign(key, "["+v.json()+"]")
		}
	}
	return "write " + article(typ)
}

// text returns an optional string member, "" when it is absent or wrong.
func (o *object) text(key string) string {
	v := o.member(key)
	if v == nil {
		return ""
	}
	if v.kind != stringNode {
		o.mistyped(key, "string", false)
		return ""
	}
	return v.text
}

// require returns a string member that must be there. example is a value shown when it is not.
func (o *object) require(key, example string) string {
	v := o.member(key)
	switch {
	case v == nil:
		o.missing(key, "string", quoteJSON(example))
		return ""
	case v.kind != stringNode:
		o.mistyped(key, "string", true)
		return ""
	}
	return v.text
}

// nonEmpty returns an optional string member that must not be "" when it is there.
func (o *object) nonEmpty(key string) string {
	v := o.member(key)
	if v != nil && (v.kind != stringNode || v.text == "") {
		text := fmt.Sprintf("%q bindings should have a string %q field but got %s.", o.path, key, o.n.shortJSON())
		o.errorAt(v.span, text, "write a name, or remove "+quoteJSON(key), "Expected a string that is not empty.")
		return ""
	}
	if v == nil {
		return ""
	}
	return v.text
}

// oneOf returns an optional string member that must be one of choices.
func (o *object) oneOf(key string, choices ...string) string {
	v := o.member(key)
	if v == nil {
		return ""
	}
	for _, choice := range choices {
		if v.kind == stringNode && v.text == choice {
			return v.text
		}
	}
	quoted := make([]string, len(choices))
	for i, choice := range choices {
		quoted[i] = quoteJSON(choice)
	}
	fix := "write one of " + strings.Join(quoted, ", ")
	if near := didYouMean(v.text, choices); near != "" {
		fix = "did you mean " + quoteJSON(near) + "?"
	}
	o.errorAt(v.span, fmt.Sprintf("Expected %q field to be one of [%s] but got %s.",
		o.pathOf(key), strings.Join(quoted, ","), v.shortJSON()), fix)
	return ""
}

// number returns an optional number member and whether it is there and right.
func (o *object) number(key string) (float64, bool) {
	v := o.member(key)
	if v == nil {
		return 0, false
	}
	if v.kind != numberNode || math.IsNaN(v.number) || math.IsInf(v.number, 0) {
		o.mistyped(key, "number", false)
		return 0, false
	}
	return v.number, true
}

// numberRange is what a number member may be. The unit is for the note, e.g. "seconds".
type numberRange struct {
	min, max float64
	whole    bool
	unit     string
}

// ranged returns a number member, or otherwise when it is absent or wrong (K-1 to K-9, K-16).
func (o *object) ranged(key string, otherwise float64, limits numberRange) float64 {
	f, ok := o.number(key)
	if !ok {
		return otherwise
	}
	wanted := fmt.Sprintf("Expected a number from %s to %s", formatNumber(limits.min), formatNumber(limits.max))
	if limits.whole {
		wanted = strings.Replace(wanted, "a number", "a whole number", 1)
	}
	if limits.unit != "" {
		wanted += " (" + limits.unit + ")"
	}
	wanted += "."
	text := ""
	fix := f
	switch {
	case f < limits.min:
		text, fix = "Number must be greater than or equal to "+formatNumber(limits.min), limits.min
	case f > limits.max:
		text, fix = "Number must be less than or equal to "+formatNumber(limits.max), limits.max
	case limits.whole && f != math.Trunc(f):
		text, fix = "Expected integer, received float", math.Round(f)
	default:
		return f
	}
	o.errorAt(o.spanOf(key), fmt.Sprintf("%q is %s: %s", o.pathOf(key), formatNumber(f), text),
		"write "+o.assign(key, formatNumber(fix)), wanted)
	return otherwise
}

// boolean returns an optional boolean member, nil when it is absent or wrong.
func (o *object) boolean(key string) *bool {
	v := o.member(key)
	if v == nil {
		return nil
	}
	if v.kind != boolNode {
		o.mistyped(key, "boolean", false)
		return nil
	}
	return &v.truth
}

// flag is boolean with false for absent.
func (o *object) flag(key string) bool {
	b := o.boolean(key)
	return b != nil && *b
}

// texts returns an optional member that is an array of strings.
func (o *object) texts(key string) []string {
	v := o.member(key)
	if v == nil {
		return nil
	}
	if v.kind != arrayNode {
		o.mistyped(key, "string array", false)
		return nil
	}
	out := make([]string, 0, len(v.items))
	for i, item := range v.items {
		if item.kind != stringNode {
			o.errorAt(item.span, fmt.Sprintf("Expected \"%s.[%d]\" to be of type string but got %s.",
				o.pathOf(key), i, item.shortJSON()), "write a string")
			continue
		}
		out = append(out, item.text)
	}
	return out
}

// objects opens every element of an optional array member.
func (o *object) objects(key string, phrase phrasing) []*object {
	v := o.member(key)
	if v == nil {
		return nil
	}
	return o.openAll(o.pathOf(key), v, phrase)
}

// openAll opens every element of an array of objects.
func (r *reader) openAll(path string, n *node, phrase phrasing) []*object {
	var out []*object
	for i, item := range r.list(path, n) {
		if o, ok := r.open(fmt.Sprintf("%s[%d]", path, i), item, phrase); ok {
			out = append(out, o)
		}
	}
	return out
}

// child opens an optional member that is an object.
func (o *object) child(key string, phrase phrasing) (*object, bool) {
	v := o.member(key)
	if v == nil {
		return nil, false
	}
	return o.open(o.pathOf(key), v, phrase)
}

// jsonObject returns an optional object member as JSON text.
func (o *object) jsonObject(key string) string {
	v := o.member(key)
	if v == nil {
		return ""
	}
	if v.kind != objectNode {
		o.mistyped(key, "object", false)
		return ""
	}
	return v.json()
}

// finish warns about the members that no reading function has asked for (K-15).
func (o *object) finish() { o.warnUnknown(o.path, o.known) }

// warnUnknown warns about members that are not in known, under the name the reference gives the object.
func (o *object) warnUnknown(name string, known []string) {
	for _, f := range o.n.fields {
		if contains(known, f.key) {
			continue
		}
		fix := "remove it"
		if near := didYouMean(f.key, known); near != "" {
			fix = "did you mean " + quoteJSON(near) + "?"
		}
		o.warnAt(f.keySpan, fmt.Sprintf("Unexpected fields found in %s field: %s", name, quoteJSON(f.key)), fix,
			"It is ignored.")
	}
}

// article puts "a" or "an" before the name of a type.
func article(typ string) string {
	if typ == "null" {
		return typ
	}
	if strings.ContainsRune("aeiou", rune(typ[0])) {
		return "an " + typ
	}
	return "a " + typ
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}
