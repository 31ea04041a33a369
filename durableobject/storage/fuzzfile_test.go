package storage_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
)

// FuzzObjectFile: any bytes in the place of an object's file or its log give errors, and stop no other object.
func FuzzObjectFile(f *testing.F) {
	seed := func() (file, log []byte) {
		dir := f.TempDir()
		ns, err := storage.OpenNamespace(dir, storage.Options{})
		must(f, err)
		s := ns.Store(objectID)
		put(f, s, "key")
		must(f, s.SetAlarm(time.Unix(1e9, 0)))
		must(f, s.Commit())
		log, err = os.ReadFile(s.Path() + "-wal")
		must(f, err)
		must(f, ns.Close())
		file, err = os.ReadFile(s.Path())
		must(f, err)
		return file, log
	}
	file, log := seed()
	f.Add(file, []byte(nil))
	f.Add(sqlite.EmptyPage(), log)
	f.Add(file[:100], log[:100])
	f.Add([]byte("SQLite format 3\x00"), []byte(nil))
	f.Fuzz(func(t *testing.T, file, log []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, objectID+".sqlite"), file, 0o600))
		if len(log) > 0 {
			must(t, os.WriteFile(filepath.Join(dir, objectID+".sqlite-wal"), log, 0o600))
		}
		ns, err := storage.OpenNamespace(dir, storage.Options{})
		if err != nil {
			t.Fatalf("the namespace of a damaged object: %v", err)
		}
		s := ns.Store(objectID)
		_, _, err = s.Get("key")
		if err == nil {
			_, _ = s.Alarm()
			if err = s.Put("new", []byte("value")); err == nil {
				err = s.Commit()
			}
		}
		if err != nil {
			_ = s.Rollback()
		}
		if c, err := s.Exec("SELECT * FROM sqlite_master"); err == nil {
			for more := true; more && err == nil; {
				_, more, err = c.Next()
			}
			c.Close()
		}
		other := ns.Store(id(7))
		put(t, other, "fine")
		must(t, other.Commit())
		must(t, ns.Close())
	})
}

// FuzzIndex: any bytes in the place of the alarm index give an index of the objects, or an error, and lose no alarm
// that an object has.
func FuzzIndex(f *testing.F) {
	make := func(t testing.TB, dir string) {
		ns, err := storage.OpenNamespace(dir, storage.Options{})
		must(t, err)
		s := ns.Store(objectID)
		must(t, s.SetAlarm(time.Unix(1e9, 0)))
		must(t, s.Commit())
		must(t, ns.Close())
	}
	dir := f.TempDir()
	make(f, dir)
	index, err := os.ReadFile(filepath.Join(dir, "metadata.sqlite"))
	must(f, err)
	f.Add(index[:512])
	f.Add([]byte{})
	f.Add([]byte("SQLite format 3\x00"))
	object, err := os.ReadFile(filepath.Join(dir, objectID+".sqlite"))
	must(f, err)
	f.Add(object)
	f.Fuzz(func(t *testing.T, index []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, objectID+".sqlite"), object, 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "metadata.sqlite"), index, 0o600))
		ns, err := storage.OpenNamespace(dir, storage.Options{})
		if err != nil {
			return
		}
		defer ns.Close()
		alarms, err := ns.Alarms()
		if err != nil {
			return
		}
		// An index that reads is believed: only one that SQLite calls sound has no entry for the object.
		if len(alarms) == 0 && !soundIndex(dir) {
			t.Fatal("the object's alarm is lost")
		}
	})
}

// soundIndex tells whether SQLite takes the file for a database with an alarm table.
func soundIndex(dir string) bool {
	db, err := sqlite.Open(filepath.Join(dir, "metadata.sqlite"), sqlite.Options{Existing: true})
	if err != nil {
		return false
	}
	err = db.Exec("SELECT count(*) FROM _cf_ALARM")
	return errors.Join(err, db.Close()) == nil
}
