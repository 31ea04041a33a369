package control

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/queues"
	"eddy/queues/logstore"
)

// A state directory that wrangler dev wrote can be looked into as it is (DEV4): objects, their names (CL15), tables and
// keys.
func TestObjectsOfTheReference(t *testing.T) {
	state := t.TempDir()
	if err := os.CopyFS(state, os.DirFS(filepath.Join("..", "..", "testdata", "state", "wrangler"))); err != nil {
		t.Fatal(err)
	}
	b, _, err := queues.Open(queues.Options{FS: logstore.NewMemFS(), Dir: "q"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	a, err := New(Options{Broker: b, State: state})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c := Local(a)
	all := must[[]Object](t)(c.Objects(background, ""))
	if len(all) != 2 || all[0].Namespace != "interop-A" || len(all[0].ID) != 64 {
		t.Fatalf("objects %+v, want two of interop-A", all)
	}
	if none := must[[]Object](t)(c.Objects(background, "other")); len(none) != 0 {
		t.Errorf("another namespace has %+v", none)
	}
	names := ""
	for _, x := range all {
		d := must[ObjectDetail](t)(c.Object(background, "interop-A", x.ID[:8]))
		values := must[[]StoredValue](t)(c.Storage(background, "", x.ID, "", 100))
		names += x.Name
		if d.Name != x.Name {
			t.Errorf("%s is called %q and %q", x.ID, x.Name, d.Name)
		}
		if d.Keys != 8 || len(values) != 8 {
			t.Errorf("%s has %d keys and %d values, want 8", x.ID, d.Keys, len(values))
		}
		if len(d.Tables) != 1 || d.Tables[0].Name != "t" || d.Tables[0].Rows != 1 {
			t.Errorf("%s has the tables %+v, want t with one row", x.ID, d.Tables)
		}
		if rows := must[Rows](t)(c.SQL(background, "", x.ID,
			SQL{SQL: "SELECT count(*) + 9007199254740992 AS n FROM t"})); rows.Columns[0] != "n" ||
			rows.Rows[0][0] != json.Number("9007199254740993") {
			t.Errorf("%s: query gives %+v", x.ID, rows)
		}
		if x.Alarm == nil || x.Alarm.UnixMilli() != 4102444800123 {
			t.Errorf("%s has the alarm %v", x.ID, x.Alarm)
		}
	}
	if names != "ab" && names != "ba" {
		t.Errorf("the objects are called %q, want a and b", names)
	}
	if _, err := c.SQL(background, "", all[0].ID, SQL{SQL: "CREATE TABLE x (y)"}); err == nil ||
		!strings.Contains(err.Error(), "may only read") {
		t.Errorf("a write without being asked for: %v", err)
	}
	if _, err := c.Object(background, "", "nobody"); err == nil ||
		!strings.Contains(err.Error(), `no object "nobody"`) {
		t.Errorf("an unknown object: %v", err)
	}
}
