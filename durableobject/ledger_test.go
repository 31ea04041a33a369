package durableobject

import (
	"encoding/json"
	"strings"
	"testing"
)

// A record without a Worker's namespaces, which a plan would take for a Worker that has none, is refused.
func TestEmptyRecord(t *testing.T) {
	var l Ledger
	err := json.Unmarshal([]byte(`{"workers":{"v":null}}`), &l)
	if err == nil || !strings.Contains(err.Error(), `the record of Worker "v" is empty`) {
		t.Errorf("got %v", err)
	}
}

// FuzzLedger: any file of migrations is refused as JSON or planned with; what a plan made of it is the same when it is
// read again.
func FuzzLedger(f *testing.F) {
	f.Add([]byte(`{"workers":{"w":{"tags":{"v1":"new A"},"namespaces":{"w/A":{"key":"w-A","class":"A","sqlite":true,` +
		`"listed":true}}},"v":{"namespaces":{"v/B":{"key":"v-B","class":"B"}}}}}`))
	f.Add([]byte(`{"workers":{"w":null}}`))
	f.Add([]byte(`{"workers":{"v":null}}`))
	f.Add([]byte(`null`))
	m := Migrations{Worker: "w", Tags: []MigrationTag{{"v1", "new A"}, {"v2", "rename A to B"}}, Lineages: []Lineage{
		{Origin: "w/A", Names: []ClassName{{"w", "A"}, {"w", "B"}}, SQLite: true, Listed: true, Tag: "v2"},
		{Origin: "v/B", Names: []ClassName{{"v", "B"}, {"w", "C"}}, SQLite: true, Listed: true, Tag: "v2"},
		{Origin: "w/D", Names: []ClassName{{"w", "D"}}, Deleted: true, Tag: "v2"},
	}}
	f.Fuzz(func(t *testing.T, file []byte) {
		var l Ledger
		if json.Unmarshal(file, &l) != nil {
			return
		}
		p := l.Plan(m, func(key string) int { return len(key) % 2 })
		if len(p.Refusals) > 0 {
			return
		}
		l.Apply(p)
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		var again Ledger
		if err := json.Unmarshal(b, &again); err != nil {
			t.Fatal(err)
		}
		if again.Apply(again.Plan(m, func(key string) int { return len(key) % 2 })) {
			t.Fatalf("what was applied is not applied: %s", b)
		}
	})
}
