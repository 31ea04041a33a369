package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/statedir"
)

const (
	recordedA = "6671bf4785ed11e684d6a85e05585df08dc0087030fbedb5dab5fb0a054d796d"
	recordedB = "f0af0d6c3cb30675b0b4721a503ce8695b549e06cbbb1ac99030569c76da8227"
)

// A state directory of wrangler dev, killed in the middle, opens with its
// data, its names and its alarms (KV17, DEV4), and takes new ones.
func TestStateOfWranglerDev(t *testing.T) {
	state := t.TempDir()
	must(t, os.CopyFS(state, os.DirFS(filepath.Join("..", "..", "testdata", "state", "wrangler"))))
	ns, err := storage.OpenNamespace(statedir.Dir(state).Namespace("interop-A"), storage.Options{})
	must(t, err)
	at := time.UnixMilli(4102444800123)
	list, err := ns.Alarms()
	must(t, err)
	if len(list) != 2 || list[0] != (storage.Alarm{ID: recordedA, Time: at, Name: "a"}) ||
		list[1] != (storage.Alarm{ID: recordedB, Time: at, Name: "b"}) {
		t.Errorf("alarms: %+v", list)
	}
	objects, err := ns.Objects()
	must(t, err)
	if len(objects) != 2 {
		t.Errorf("objects: %+v", objects)
	}
	for id, name := range map[string]string{recordedA: "a", recordedB: "b"} {
		s := ns.Store(id)
		if got, err := s.StoredName(); got != name || err != nil {
			t.Errorf("name of %s: %q %v", id, got, err)
		}
		if got := names(t, s, storage.ListOptions{}); got != "big bytes date five key é😀 map obj one" {
			t.Errorf("keys of %s: %s", name, got)
		}
		if v, _, err := s.Get("five"); string(v) != "\xff\x0f\"\x04five" || err != nil {
			t.Errorf("five is %x %v", v, err)
		}
		if got := rows(t, s, "SELECT id, name, n, hex(b) FROM t"); got != "1,one,1.5,0102" {
			t.Errorf("rows of %s: %s", name, got)
		}
		if got, err := s.Alarm(); !got.Equal(at) || err != nil {
			t.Errorf("alarm of %s: %v %v", name, got, err)
		}
	}
	c := ns.Store(objectID)
	c.SetName("c")
	must(t, c.SetAlarm(at.Add(-time.Second)))
	must(t, c.Commit())
	must(t, ns.Store(recordedA).DeleteAlarm())
	must(t, ns.Store(recordedA).Commit())
	list, err = ns.Alarms()
	must(t, err)
	if len(list) != 2 || list[0].Name != "c" || list[1].Name != "b" {
		t.Errorf("alarms afterwards: %+v", list)
	}
	must(t, ns.Close())
	if left, _ := filepath.Glob(filepath.Join(state, "v3", "do", "interop-A", "*-wal")); len(left) != 0 {
		t.Errorf("logs left after closing: %s", strings.Join(left, " "))
	}
}
