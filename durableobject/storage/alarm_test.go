package storage_test

import (
	"fmt"
	"testing"
	"time"

	"eddy/durableobject/storage"
)

const otherID = "fa00a7ebc06322758dec7e420739d35effb825a1431bc6b8761980f56fa1cb1f"

func alarms(t *testing.T, ns *storage.Namespace) string {
	t.Helper()
	list, err := ns.Alarms()
	must(t, err)
	out := ""
	for _, a := range list {
		out += fmt.Sprintf("%s=%d ", a.ID[:2], a.Time.UnixNano())
	}
	return out
}

// AL2: one alarm, to the nanosecond on disk; the index follows the commit.
func TestAlarm(t *testing.T) {
	dir := t.TempDir()
	ns, err := storage.OpenNamespace(dir, storage.Options{})
	must(t, err)
	a, b := ns.Store(objectID), ns.Store(otherID)
	if at, err := a.Alarm(); !at.IsZero() || err != nil {
		t.Errorf("unset: %v %v", at, err)
	}
	must(t, a.DeleteAlarm())
	if a.Exists() {
		t.Error("deleting no alarm created the file")
	}
	must(t, a.SetAlarm(time.Unix(0, 2_000_000_000_000_000_123)))
	if got := alarms(t, ns); got != "" {
		t.Errorf("in the index before the commit: %s", got)
	}
	must(t, a.Commit())
	must(t, b.SetAlarm(time.Unix(0, 1_000_000_000_000_000_000)))
	must(t, b.Commit())
	if got := alarms(t, ns); got != "fa=1000000000000000000 f1=2000000000000000123 " {
		t.Errorf("index: %s", got)
	}
	must(t, a.SetAlarm(time.Unix(0, 5)))
	must(t, a.Rollback())
	if at, _ := a.Alarm(); at.UnixNano() != 2_000_000_000_000_000_123 {
		t.Errorf("after a rollback: %v", at)
	}
	must(t, b.DeleteAlarm())
	must(t, b.Commit())
	must(t, ns.Close())

	ns, err = storage.OpenNamespace(dir, storage.Options{})
	must(t, err)
	if got := alarms(t, ns); got != "f1=2000000000000000123 " {
		t.Errorf("index after a restart: %s", got)
	}
	if at, err := ns.Store(objectID).Alarm(); at.UnixNano() != 2_000_000_000_000_000_123 || err != nil {
		t.Errorf("row after a restart: %v %v", at, err)
	}
	if at, err := ns.Store(otherID).Alarm(); !at.IsZero() || err != nil {
		t.Errorf("deleted after a restart: %v %v", at, err)
	}
	must(t, ns.Close())
}

// The alarm belongs to the transaction that sets it (TX1).
func TestAlarmInTransaction(t *testing.T) {
	ns := namespace(t, storage.Options{})
	s := ns.Store(objectID)
	must(t, s.SetAlarm(time.Unix(100, 0)))
	must(t, s.Commit())
	txn, err := s.Begin()
	must(t, err)
	must(t, s.SetAlarm(time.Unix(50, 0)))
	must(t, s.Commit())
	if got := alarms(t, ns); got != "f1=100000000000 " {
		t.Errorf("index during the transaction: %s", got)
	}
	must(t, txn.Rollback())
	must(t, s.Commit())
	if at, err := s.Alarm(); at.Unix() != 100 || err != nil {
		t.Errorf("after the rollback: %v %v", at, err)
	}
	if got := alarms(t, ns); got != "f1=100000000000 " {
		t.Errorf("index after the rollback: %s", got)
	}
	txn, err = s.Begin()
	must(t, err)
	must(t, s.DeleteAlarm())
	must(t, txn.Commit())
	if got := alarms(t, ns); got != "" {
		t.Errorf("index after the commit: %s", got)
	}
}

// SQL18: bookmarks sort in the order they were taken, across restarts.
func TestBookmarksWithoutHistory(t *testing.T) {
	s := store(t, storage.Options{})
	last := ""
	for i := range 20 {
		b, err := s.CurrentBookmark()
		must(t, err)
		must(t, s.Commit())
		if i == 0 && b != "00000000-00000000-00000000-00000000000000000000000000000000" {
			t.Errorf("first: %s", b)
		}
		if b <= last {
			t.Errorf("%s does not sort after %s", b, last)
		}
		last = b
		s.Release()
	}
}
