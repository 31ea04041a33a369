package durableobject

import (
	"fmt"
	"slices"
	"strings"
)

// Census is what is known of a Worker's classes from all sides: the script, the bindings, the migrations, the data.
type Census struct {
	Migrations Migrations
	// Exported are the names that the script exports, Bound the classes of its own that bindings name.
	Exported, Bound []string
	// Keys are the unique keys of the classes that there are (Plan.Keys). Taken are keys of other Workers' classes.
	Keys  map[string]string
	Taken map[string]bool
	// Objects counts objects by unique key, of every namespace that has some.
	Objects map[string]int
	// Similar gives the word of known that a misspelt one stands for, "" if none is close.
	Similar func(word string, known []string) string
}

// Findings tells of classes that would silently be empty or have another storage: data of a class that is not exported
// any more, a class that a migration creates and the script does not export, a class that is bound and that no
// migration creates. Each finding names the migration to add.
func (c Census) Findings() []Finding {
	missing, fresh := c.missing(), c.fresh()
	paired := map[string]bool{} // fresh classes that a finding about another class explains
	var list []Finding
	for _, m := range missing {
		f := Finding{Lineage: m.lineage, Tag: m.tag}
		to := c.Similar(m.class, fresh)
		if to == "" && m.objects > 0 && len(fresh) == 1 {
			to = fresh[0]
		}
		if to != "" {
			paired[to] = true
		}
		switch {
		case m.objects > 0:
			f.Text = fmt.Sprintf("Class %s has %s here, and the script does not export it.", m.class,
				objects(m.objects))
			f.Why = "They stay where they are, and nothing serves them."
			if m.objects == 1 {
				f.Why = "It stays where it is, and nothing serves it."
			}
			what := fmt.Sprintf(`"deleted_classes": [%q]`, m.class)
			f.Fix = "if it is of no use any more, add to migrations: "
			if to != "" {
				what = fmt.Sprintf(`"renamed_classes": [{ "from": %q, "to": %q }]`, m.class, to)
				f.Fix = fmt.Sprintf("did you rename it to %s? Then add to migrations: ", to)
			}
			// What no migration creates, none can rename or delete.
			switch tag := c.createdBy(to); {
			case m.lineage >= 0:
				f.Fix += c.migrations(what)
			case tag != "":
				f.Fix = fmt.Sprintf("did you rename it to %s? Then let migration %q create %s again, and add: %s",
					to, tag, m.class, c.migrations(what))
			default:
				f.Fix += c.migrations(fmt.Sprintf(`"new_sqlite_classes": [%q]`, m.class), what)
			}
		case to != "":
			f.Text = fmt.Sprintf("Migration %q creates class %s, which the script does not export.", m.tag, m.class)
			f.Why = fmt.Sprintf("Class %s is exported, and no migration creates it: it gets key-value storage.", to)
			f.Fix = fmt.Sprintf("did you mean %q?", to)
		default:
			f.Text = fmt.Sprintf("Migration %q creates class %s, which the script does not export.", m.tag, m.class)
			f.Fix = "export the class, or take it out of the migration if that was never deployed, or add to " +
				"migrations: " +
				c.migrations(fmt.Sprintf(`"deleted_classes": [%q]`, m.class))
		}
		list = append(list, f)
	}
	for i, x := range c.Migrations.Lineages {
		name := x.now().Class
		if len(c.Migrations.Tags) == 0 || x.Listed || x.Deleted || paired[name] || !slices.Contains(fresh, name) {
			continue // without any migrations, wrangler warns about the configuration itself
		}
		list = append(list, Finding{Lineage: i,
			Text: fmt.Sprintf("Class %s is bound, and no migration creates it: it gets key-value storage.", name),
			Why:  "Production refuses such a class, and one without SQLite cannot get it later.",
			Fix:  "add to migrations: " + c.migrations(fmt.Sprintf(`"new_sqlite_classes": [%q]`, name))})
	}
	return list
}

// missingClass is a class that the script does not export, although a migration or data knows it.
type missingClass struct {
	class, tag string
	lineage    int // -1 for one that only has data
	objects    int
}

func (c Census) missing() (list []missingClass) {
	known := map[string]bool{}
	for i, x := range c.Migrations.Lineages {
		key := c.Keys[x.now().Class]
		if key == "" {
			key = x.now().key()
		}
		known[key] = true
		if x.Deleted || !x.Listed || x.now().Worker != c.Migrations.Worker ||
			slices.Contains(c.Exported, x.now().Class) {
			continue
		}
		list = append(list, missingClass{x.now().Class, x.Tag, i, c.Objects[key]})
	}
	for _, key := range c.Keys {
		known[key] = true
	}
	var keys []string
	for key := range c.Objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		class, own := strings.CutPrefix(key, c.Migrations.Worker+"-")
		if own && !known[key] && !c.Taken[key] && !strings.Contains(class, "-") && !slices.Contains(c.Exported, class) {
			list = append(list, missingClass{class, "", -1, c.Objects[key]})
		}
	}
	return list
}

// fresh lists the classes that are exported and bound and have no objects. A class that is missing may be called so
// now.
func (c Census) fresh() (list []string) {
	for _, x := range c.Migrations.Lineages {
		name := x.now().Class
		if !x.Deleted && slices.Contains(c.Bound, name) && slices.Contains(c.Exported, name) &&
			c.Objects[c.Keys[name]] == 0 {
			list = append(list, name)
		}
	}
	return list
}

// createdBy is the tag of the migration that creates a class, "" if there is none.
func (c Census) createdBy(class string) string {
	for _, x := range c.Migrations.Lineages {
		if x.Listed && !x.Deleted && x.now().Class == class {
			return x.Tag
		}
	}
	return ""
}

// migrations are migrations to paste, with tags that are not taken.
func (c Census) migrations(what ...string) string {
	var list []string
	for n := len(c.Migrations.Tags) + 1; len(list) < len(what); n++ {
		tag := fmt.Sprintf("v%d", n)
		if !slices.ContainsFunc(c.Migrations.Tags, func(t MigrationTag) bool { return t.Tag == tag }) {
			list = append(list, fmt.Sprintf(`{ "tag": %q, %s }`, tag, what[len(list)]))
		}
	}
	return strings.Join(list, ", ")
}
