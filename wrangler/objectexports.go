package wrangler

import (
	"fmt"
	"slices"
	"strings"

	"eddy/runtime/lazyregexp"
)

// exportStates are the states of a Durable Object class in exports, each with the members that it may have (BIND-170).
var exportStates = []struct {
	name    string
	members []string
}{
	{"created", []string{"type", "state", "storage", "container"}},
	{"deleted", []string{"type", "state"}},
	{"renamed", []string{"type", "state", "renamed_to"}},
	{"transferred", []string{"type", "state", "transferred_to"}},
	{"expecting-transfer", []string{"type", "state", "storage", "transfer_from", "container"}},
}

var identifier = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// readObjectExport reads one Durable Object class of exports, with the reference's texts.
func (f *classFold) readObjectExport(o *object, x *Export) {
	o.accept("state", "storage", "renamed_to", "transferred_to", "transfer_from", "container")
	v := o.n.get("state")
	x.State = "created"
	if v != nil {
		x.State = v.text
	}
	at := slices.IndexFunc(exportStates, func(s struct {
		name    string
		members []string
	}) bool {
		return s.name == x.State
	})
	if at < 0 || v != nil && v.kind != stringNode {
		o.errorAt(v.span, fmt.Sprintf(`"%s.state" must be one of "created", "deleted", "renamed", "transferred", or `+
			`"expecting-transfer" but got %s.`, o.path, v.shortJSON()), "write one of these states")
		x.State = ""
		return
	}
	allowed := exportStates[at].members
	for _, key := range o.n.keys() {
		if !slices.Contains(allowed, key) && slices.Contains(o.known, key) {
			o.errorAt(o.spanOf(key), fmt.Sprintf(`"%s.%s" is forbidden on state %q.`, o.path, key, x.State),
				"remove it", "Allowed properties are: "+listed(allowed)+".")
		}
	}
	switch x.State {
	case "renamed":
		f.readRenamed(o, x)
		return
	case "transferred":
		o.needed("transferred_to", x.State, "other-worker")
		return
	case "deleted":
		return
	}
	storage := o.n.get("storage")
	if storage == nil || storage.kind != stringNode || storage.text != "sqlite" && storage.text != "legacy-kv" {
		got := "undefined"
		if storage != nil {
			got = storage.shortJSON()
		}
		o.errorAt(o.spanOf("storage"), fmt.Sprintf(`"%s.storage" is required for state %q and must be one of sqlite `+
			`and legacy-kv, but got %s`, o.path, x.State, got), "add "+o.assign("storage", `"sqlite"`))
		return
	}
	x.SQLite = storage.text == "sqlite"
	if c := o.n.get("container"); c != nil && c.kind == stringNode {
		x.Container = c.text
	}
	if c := o.n.get("container"); c != nil && !x.SQLite {
		o.errorAt(c.span, fmt.Sprintf(`"%s.container" requires "storage" to be "sqlite". Containers are not supported `+
			`on Durable Objects using the "legacy-kv" storage backend.`, o.path),
			`write "sqlite", or remove the container`)
	}
	if x.State == "expecting-transfer" {
		if x.TransferFrom = o.needed("transfer_from", x.State, "other-worker"); x.TransferFrom != "" {
			f.lineages.transfer(Transfer{From: x.Name, FromScript: x.TransferFrom, To: x.Name}, x.Pos)
		}
	}
	f.declare(x)
}

// readRenamed reads the name that a class has now.
func (f *classFold) readRenamed(o *object, x *Export) {
	to := o.needed("renamed_to", x.State, "NewName")
	switch {
	case to == "":
	case !identifier.MatchString(to):
		o.errorAt(o.spanOf("renamed_to"), fmt.Sprintf(`"%s.renamed_to" must be a valid JavaScript identifier (got %q).`,
			o.path, to), "write the name of an exported class")
	case to == x.Name:
		o.errorAt(o.spanOf("renamed_to"), fmt.Sprintf(`"%s.renamed_to" cannot equal the source class name %q.`, o.path,
			to), "write the new name")
	default:
		x.RenamedTo = to
	}
}

// needed is a member that a state must have: a string that is not empty.
func (o *object) needed(key, state, example string) string {
	if v := o.n.get(key); v != nil && v.kind == stringNode && v.text != "" {
		return v.text
	}
	o.errorAt(o.spanOf(key), fmt.Sprintf(`"%s.%s" is required for state %q and must be a non-empty string.`, o.path,
		key, state), "add "+o.assign(key, quoteJSON(example)))
	return ""
}

// declare adds a class that exports has.
func (f *classFold) declare(x *Export) {
	f.exported[x.Name] = true
	if i := f.index(x.Name); i >= 0 {
		f.classes[i].SQLite = x.SQLite
		if l := f.lineages.live(x.Name); l != nil {
			l.SQLite = x.SQLite
		}
		return
	}
	f.classes = append(f.classes, Class{Name: x.Name, SQLite: x.SQLite, Pos: x.Pos})
	f.lineages.create(x.Name, x.SQLite, true, x.Pos)
}

// listed is a list of words as English has it.
func listed(words []string) string {
	if len(words) < 3 {
		return strings.Join(words, " and ")
	}
	return strings.Join(words[:len(words)-1], ", ") + ", and " + words[len(words)-1]
}

// codeUpdateDelay is the longest max_delay of code_update_strategy, in seconds.
var codeUpdateDelay = numberRange{min: 0, max: 24 * 60 * 60, unit: "seconds"}

// readCodeUpdateStrategy checks when production lets objects have new code (BIND-171). Here a reload resets them at
// once.
func readCodeUpdateStrategy(o *object) {
	if o.n.get("code_update_strategy") == nil {
		o.accept("code_update_strategy")
		return
	}
	s, ok := o.child("code_update_strategy", fieldPhrase)
	if !ok {
		return
	}
	if s.n.get("mode") == nil {
		s.missing("mode", "string", `"deferred"`)
	}
	s.oneOf("mode", "immediate", "deferred")
	s.ranged("max_delay", 300, codeUpdateDelay)
	s.finish()
}
