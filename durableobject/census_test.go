package durableobject

import (
	"fmt"
	"strings"
	"testing"
)

// What a person is told of classes that do not fit. Each case has the classes that are exported, those that are bound,
// the lineages (a class, with * if a migration lists it), and the objects by unique key.
func TestCensus(t *testing.T) {
	similar := func(word string, known []string) string {
		for _, k := range known {
			if strings.EqualFold(word[:2], k[:2]) {
				return k
			}
		}
		return ""
	}
	for _, c := range []struct {
		name, exported, bound, lineages, objects string
		want                                     string
	}{
		{"all fits", "Order", "Order", "Order*", "w-Order=2", ""},
		{"renamed without a migration", "Basket", "Basket", "Order* Basket", "w-Order=2",
			`Class Order has 2 objects here, and the script does not export it.
  They stay where they are, and nothing serves them.
  did you rename it to Basket? Then add to migrations: { "tag": "v2", "renamed_classes": [{ "from": "Order", "to": ` +
				`"Basket" }] }
`},
		{"renamed in the migration that created it", "Basket", "Basket", "Basket*", "w-Order=1",
			`Class Order has 1 object here, and the script does not export it.
  It stays where it is, and nothing serves it.
  did you rename it to Basket? Then let migration "v1" create Order again, and add: { "tag": "v2", ` +
				`"renamed_classes": [{ "from": "Order", "to": "Basket" }] }
`},
		{"data without a migration", "", "", "", "w-Order=2",
			`Class Order has 2 objects here, and the script does not export it.
  They stay where they are, and nothing serves them.
  if it is of no use any more, add to migrations: { "tag": "v2", "new_sqlite_classes": ["Order"] }, ` +
				`{ "tag": "v3", "deleted_classes": ["Order"] }
`},
		{"dropped", "", "", "Order*", "w-Order=3",
			`Class Order has 3 objects here, and the script does not export it.
  They stay where they are, and nothing serves them.
  if it is of no use any more, add to migrations: { "tag": "v2", "deleted_classes": ["Order"] }
`},
		{"a typo in the migration", "Order", "Order", "Ordr* Order", "",
			`Migration "v1" creates class Ordr, which the script does not export.
  Class Order is exported, and no migration creates it: it gets key-value storage.
  did you mean "Order"?
`},
		{"bound and forgotten", "Order Cart", "Order Cart", "Order* Cart", "",
			`Class Cart is bound, and no migration creates it: it gets key-value storage.
  Production refuses such a class, and one without SQLite cannot get it later.
  add to migrations: { "tag": "v2", "new_sqlite_classes": ["Cart"] }
`},
		{"migrated and not exported", "Order", "Order", "Order* Zebra*", "w-Order=1",
			`Migration "v1" creates class Zebra, which the script does not export.
  
  export the class, or take it out of the migration if that was never deployed, or add to migrations: { "tag": ` +
				`"v2", "deleted_classes": ["Zebra"] }
`},
		{"other Workers' data", "Order", "Order", "Order*", "w-x-Order=1 other-Order=2 w-Moved=3", ""},
	} {
		m := Migrations{Worker: "w", Tags: []MigrationTag{{Tag: "v1"}}}
		keys := map[string]string{}
		for _, l := range strings.Fields(c.lineages) {
			class, listed := strings.CutSuffix(l, "*")
			m.Lineages = append(m.Lineages, Lineage{Origin: class, Names: []ClassName{{"w", class}}, Listed: listed,
				Tag: "v1"})
			keys[class] = "w-" + class
		}
		held := map[string]int{}
		for _, h := range strings.Fields(c.objects) {
			key, n, _ := strings.Cut(h, "=")
			held[key] = int(n[0] - '0')
		}
		var got strings.Builder
		for _, f := range (Census{Migrations: m, Exported: strings.Fields(c.exported), Bound: strings.Fields(c.bound),
			Keys:  keys,
			Taken: map[string]bool{"w-Moved": true}, Objects: held, Similar: similar}).Findings() {
			fmt.Fprintf(&got, "%s\n  %s\n  %s\n", f.Text, f.Why, f.Fix)
		}
		if got.String() != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.name, got.String(), c.want)
		}
	}
}
