package wrangler

import (
	"fmt"
	"strings"
)

// readDurableObjects reads the bindings, migrations and exports, and folds the latter two into the list of classes.
func (s *scope) readDurableObjects(cfg *Config) {
	if e, ok := s.lookup("durable_objects"); ok {
		if o, ok := s.open(e.path, e.value, fieldPhrase); ok {
			for _, b := range o.objects("bindings", entryPhrase) {
				cfg.DurableObjects = append(cfg.DurableObjects, readDurableObject(b))
			}
			readCodeUpdateStrategy(o)
			o.finish()
			s.warnMissingNames(e)
		}
	}
	fold := classFold{reader: s.reader}
	migrations, hasMigrations := s.lookup("migrations")
	if hasMigrations {
		cfg.Migrations = fold.readMigrations(migrations)
	}
	exports, hasExports := s.lookup("exports")
	if hasExports && exports.value.kind != nullNode {
		cfg.Exports = fold.readExports(exports)
		if len(cfg.Migrations) > 0 && len(fold.exported) > 0 {
			s.errorAt(exports.value.span, "`migrations` and `exports` are mutually exclusive. Choose one or the "+
				"other to declare your Durable Object lifecycle, but not both.",
				"remove one of the two sections")
		}
	}
	cfg.Classes = fold.withBound(cfg)
	cfg.Lineages = fold.lineages.list
}

func readDurableObject(o *object) DurableObject {
	b := DurableObject{Name: o.require("name", "MY_OBJECT"), ClassName: o.require("class_name", "MyObject"),
		ScriptName: o.text("script_name"), Environment: o.text("environment"), Pos: o.pos()}
	if f, ok := o.n.field("environment"); ok && o.n.get("script_name") == nil {
		o.errorAt(f.keySpan,
			fmt.Sprintf(`%q: binding should have a "script_name" field if "environment" is present.`, o.path),
			"add "+o.assign("script_name", `"other-worker"`)+`, or remove "environment"`)
	}
	o.finish()
	return b
}

// classFold applies migrations in order to find out which classes there are and which of them are SQLite-backed.
// Beside that it follows which objects each class has (lineage.go). It does not touch the data.
type classFold struct {
	*reader
	classes  []Class
	exported map[string]bool // classes with a live entry in exports
	lineages lineages
}

func (f *classFold) index(name string) int {
	for i, c := range f.classes {
		if c.Name == name {
			return i
		}
	}
	return -1
}

func (f *classFold) readMigrations(e setting) []Migration {
	var all []Migration
	tags := make(map[string]int)
	if e.value.kind == nullNode {
		return nil
	}
	for _, o := range f.openAll(e.path, e.value, fieldPhrase) {
		m := Migration{Tag: o.require("tag", "v1"), Pos: o.pos()}
		if line, twice := tags[m.Tag]; twice && m.Tag != "" {
			f.warnAt(o.spanOf("tag"), fmt.Sprintf("Migration tag %q is used more than once.", m.Tag),
				"give every migration its own tag",
				fmt.Sprintf("The other one is at line %d. In production a tag is applied once.", line))
		}
		tags[m.Tag] = m.Pos.Line
		f.lineages.tag = m.Tag
		m.DeletedClasses = f.apply(o, "deleted_classes", f.remove)
		m.RenamedClasses = f.renames(o)
		m.NewClasses = f.apply(o, "new_classes", f.create(false))
		m.NewSQLiteClasses = f.apply(o, "new_sqlite_classes", f.create(true))
		m.TransferredClasses = f.transfers(o)
		o.finish()
		all = append(all, m)
	}
	return all
}

// apply calls change for every class name in a list, with the place of the name.
func (f *classFold) apply(o *object, key string, change func(key, class string, where span)) []string {
	list := o.texts(key)
	for _, item := range o.n.get(key).elements() {
		if item.kind == stringNode {
			change(key, item.text, item.span)
		}
	}
	return list
}

// elements returns the items of an array. Any other node, and nil, has none.
func (n *node) elements() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

func (f *classFold) remove(key, class string, where span) {
	i := f.index(class)
	if i < 0 {
		f.noSuchClass(key, class, where)
		return
	}
	f.classes = append(f.classes[:i], f.classes[i+1:]...)
	f.lineages.remove(class, f.src.pos(where.start))
}

func (f *classFold) noSuchClass(key, class string, where span) {
	var known []string
	for _, c := range f.classes {
		known = append(known, c.Name)
	}
	fix, note := "name a class that an earlier migration created", "No earlier migration creates a class."
	if near := didYouMean(class, known); near != "" {
		fix = "did you mean " + quoteJSON(near) + "?"
	}
	if len(known) > 0 {
		note = "The classes at this point are " + strings.Join(known, ", ") + "."
	}
	f.errorAt(where, fmt.Sprintf("Cannot apply %s migration to non-existent class %s", key, class), fix, note)
}

func (f *classFold) create(sqlite bool) func(key, class string, where span) {
	return func(key, class string, where span) {
		if i := f.index(class); i >= 0 {
			f.errorAt(where, fmt.Sprintf("Cannot apply %s migration to existing class %s", key, class),
				"remove the class from this list",
				fmt.Sprintf("It was created at line %d.", f.classes[i].Pos.Line))
			return
		}
		f.classes = append(f.classes, Class{Name: class, SQLite: sqlite, Pos: f.src.pos(where.start)})
		f.lineages.create(class, sqlite, true, f.src.pos(where.start))
	}
}

func (f *classFold) renames(o *object) []Rename {
	var all []Rename
	for _, item := range o.objects("renamed_classes", entryPhrase) {
		r := Rename{From: item.require("from", "OldName"), To: item.require("to", "NewName")}
		item.finish()
		if r.From == "" || r.To == "" {
			continue
		}
		all = append(all, r)
		i := f.index(r.From)
		if i < 0 {
			f.noSuchClass("renamed_classes", r.From, item.spanOf("from"))
			continue
		}
		renamed := Class{Name: r.To, SQLite: f.classes[i].SQLite, Pos: f.src.pos(item.spanOf("to").start)}
		f.classes = append(f.classes[:i], f.classes[i+1:]...)
		if j := f.index(r.To); j >= 0 {
			f.warnAt(item.spanOf("to"), fmt.Sprintf("Class %s is renamed to %s, which exists already.", r.From, r.To),
				"delete class "+r.To+" in a migration of its own before, or choose another name",
				fmt.Sprintf("%s was created at line %d. Production refuses this; here its objects are left where "+
					"they are, and nobody can reach them.", r.To, f.classes[j].Pos.Line))
			f.classes = append(f.classes[:j], f.classes[j+1:]...)
		}
		f.classes = append(f.classes, renamed)
		f.lineages.rename(r.From, r.To, renamed.Pos)
	}
	return all
}

// transfers reads transferred_classes. Nothing here tells which storage the class had in the other Worker. Like the
// reference, which ignores the list, we take it as key-value only unless another list creates it.
func (f *classFold) transfers(o *object) []Transfer {
	var all []Transfer
	for _, item := range o.objects("transferred_classes", entryPhrase) {
		t := Transfer{From: item.require("from", "Theirs"), FromScript: item.require("from_script", "other-worker"),
			To: item.require("to", "Ours")}
		item.finish()
		all = append(all, t)
		if t.From == "" || t.FromScript == "" || t.To == "" {
			continue
		}
		pos := f.src.pos(item.spanOf("to").start)
		if i := f.index(t.To); i >= 0 {
			f.warnAt(item.spanOf("to"), "Cannot apply transferred_classes migration to existing class "+t.To+".",
				"give the class that comes from "+t.FromScript+" another name",
				fmt.Sprintf("It was created at line %d. Production refuses this; here the class has the objects it "+
					"was created with.", f.classes[i].Pos.Line))
			continue
		}
		f.lineages.transfer(t, pos)
	}
	return all
}

// readExports reads the exports section: what a Worker exports, and for Durable Object classes their storage.
func (f *classFold) readExports(e setting) []Export {
	f.exported = make(map[string]bool)
	section, ok := f.open(e.path, e.value, fieldPhrase)
	if !ok {
		return nil
	}
	var all []Export
	for _, name := range section.n.keys() {
		o, ok := section.child(name, fieldPhrase)
		if !ok {
			continue
		}
		x := Export{Name: name, Pos: o.pos()}
		if o.n.get("type") == nil {
			o.missing("type", "string", `"durable-object"`)
		}
		x.Type = o.oneOf("type", "durable-object", "worker", "workflow")
		if x.Type == "durable-object" {
			f.readObjectExport(o, &x)
			o.finish()
		}
		all = append(all, x)
	}
	for _, x := range all {
		switch x.State {
		case "renamed":
			f.lineages.comesFrom(x.Name, x.RenamedTo)
		case "deleted":
			f.lineages.create(x.Name, false, true, x.Pos)
			f.lineages.remove(x.Name, x.Pos)
		}
	}
	return all
}

// withBound adds the classes that are bound but in no migration, and warns about them when there are no migrations
// at all (CL8). Like the reference it gives them key-value storage without SQL.
func (f *classFold) withBound(cfg *Config) []Class {
	warned := len(cfg.Migrations) > 0
	for _, b := range cfg.DurableObjects {
		if b.ClassName == "" || (b.ScriptName != "" && b.ScriptName != cfg.Name) {
			continue
		}
		i := f.index(b.ClassName)
		if i >= 0 {
			f.classes[i].Bound = true
			continue
		}
		if !warned {
			f.warnNoMigrations(cfg, b)
			warned = true
		}
		f.classes = append(f.classes, Class{Name: b.ClassName, Bound: true, Pos: b.Pos})
		if tag := f.lineages.bound(b.ClassName, b.Pos); tag != "" {
			f.warnAt(span{f.src.offsetOf(b.Pos), f.src.offsetOf(b.Pos) + 1},
				fmt.Sprintf("Class %s is bound here, but migration %q deletes it.", b.ClassName, tag),
				"remove the binding, or the deletion",
				"Production refuses this. As long as the class is bound its objects stay, with key-value storage and "+
					"no SQL.")
		}
	}
	return f.classes
}

func (f *classFold) warnNoMigrations(cfg *Config, first DurableObject) {
	var missing []string
	for _, b := range cfg.DurableObjects {
		if b.ScriptName == "" && f.index(b.ClassName) < 0 && !contains(missing, b.ClassName) {
			missing = append(missing, b.ClassName)
		}
	}
	quoted := make([]string, len(missing))
	for i, class := range missing {
		quoted[i] = quoteJSON(class)
	}
	list := strings.Join(quoted, ", ")
	fix := fmt.Sprintf(`add "migrations": [{ "tag": "v1", "new_sqlite_classes": [%s] }]`, list)
	if f.src.format == TOML {
		fix = fmt.Sprintf("add [[migrations]] with tag = \"v1\" and new_sqlite_classes = [%s]", list)
	}
	where := span{f.src.offsetOf(first.Pos), f.src.offsetOf(first.Pos) + 1}
	f.warnAt(where, fmt.Sprintf("In your %s file, you have configured `durable_objects` exported by this Worker "+
		"(%s), but no `migrations` for them.",
		cfg.fileName(), strings.Join(missing, ", ")), fix,
		"This may not work as expected until you add a `migrations` section. Until then the classes have key-value "+
			"storage and no SQL.")
}
