package wrangler

import (
	"fmt"
	"strings"
	"testing"
)

func (l Lineage) text() string {
	var names []string
	for _, n := range l.Names {
		names = append(names, strings.TrimPrefix(n.Script+"/"+n.Name, "/"))
	}
	text := l.Origin + ": " + strings.Join(names, " → ")
	if l.SQLite {
		text += " sqlite"
	}
	if !l.Listed {
		text += " unlisted"
	}
	if l.Deleted {
		text += " deleted"
	}
	return text + " " + l.Tag
}

// TestLineages: objects are followed through the names of their class (CL9, production's side).
func TestLineages(t *testing.T) {
	step := func(tag, what string) string { return fmt.Sprintf(`{ "tag": %q, %s }`, tag, what) }
	bind := func(class string) string {
		return `, "durable_objects": { "bindings": [{ "name": "X", "class_name": "` + class + `" }] }`
	}
	newA := step("v1", `"new_sqlite_classes": ["A"]`)
	tests := []struct {
		name, migrations, rest, want string
	}{
		{"created", newA, "", "A: A sqlite v1"},
		{"renamed twice",
			newA + "," + step("v2", `"renamed_classes": [{ "from": "A", "to": "B" }]`) + "," +
				step("v3", `"renamed_classes": [{ "from": "B", "to": "C" }]`), "",
			"A: A → B → C sqlite v3"},
		{"a second class of the name",
			newA + "," + step("v2", `"renamed_classes": [{ "from": "A", "to": "B" }]`) + "," +
				step("v3", `"new_classes": ["A"]`), "",
			"A: A → B sqlite v2\nA#2: A v3"},
		{"deleted and created again",
			newA + "," + step("v2", `"deleted_classes": ["A"]`) + "," + step("v3", `"new_classes": ["A"]`), "",
			"A: A sqlite deleted v2\nA#2: A v3"},
		{"deleted, but still bound", newA + "," + step("v2", `"deleted_classes": ["A"]`), bind("A"),
			"A: A unlisted v2"},
		{"transferred", step("v1", `"transferred_classes": [{ "from": "T", "from_script": "other", "to": "A" }]`),
			bind("A"), "other/T: other/T → A v1"},
		{"transferred, and its kind named",
			step("v1", `"transferred_classes": [{ "from": "T", "from_script": "other", "to": "A" }]`) + "," +
				step("v2", `"new_sqlite_classes": ["A"]`), "",
			"other/T: other/T → A sqlite v1"},
		{"bound only (CL8)", "", bind("A"), "A: A unlisted "},
		{"the declarative form", "", `, "exports": { "A": { "type": "durable-object", "state": "renamed", ` +
			`"renamed_to": "B" }, "B": { "type": "durable-object", "storage": "sqlite" }, ` +
			`"C": { "type": "durable-object", "state": "deleted" } }`,
			"A: A → B sqlite \nC: C deleted "},
		{"a transfer in the declarative form", "", `, "exports": { "A": { "type": "durable-object", ` +
			`"storage": "sqlite", "state": "expecting-transfer", "transfer_from": "other" }, ` +
			`"B": { "type": "durable-object", "state": "transferred", "transferred_to": "third" } }`,
			"other/A: other/A → A sqlite "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := `{ "name": "w"` + test.rest + ` }`
			if test.migrations != "" {
				text = `{ "name": "w", "migrations": [` + test.migrations + `]` + test.rest + ` }`
			}
			var got []string
			for _, l := range mustLoad(t, writeConfig(t, text), Options{}).Lineages {
				got = append(got, l.text())
			}
			if got := strings.Join(got, "\n"); got != test.want {
				t.Errorf("lineages:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}
