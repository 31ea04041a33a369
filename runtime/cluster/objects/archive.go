package objects

import (
	"fmt"
	"time"

	"eddy/durableobject/storage"
)

// Stored is an object that is in a shard, as of its last commit.
type Stored struct {
	// Key is the unique key of its namespace.
	Key, ID, Name string
	// Alarm is zero for none.
	Alarm time.Time

	object *object
}

// List reads which objects are in a shard that nobody writes to. Those that have nothing stored are left out.
func List(s InShard) ([]Stored, error) {
	o := &owned{shard: s}
	found, _, err := o.read()
	if err != nil {
		return nil, err
	}
	var list []Stored
	for _, b := range found {
		if b.Base == 0 {
			continue
		}
		b.o = o
		k := Stored{Key: b.key, ID: b.id, Name: b.Name, object: b}
		if b.Alarm != 0 {
			k.Alarm = time.Unix(0, b.Alarm)
		}
		list = append(list, k)
	}
	return list, nil
}

// Write makes the object's database at path, with the log beside it that it may have.
func (k *Stored) Write(path string) error {
	if err := k.object.fill(path); err != nil {
		return fmt.Errorf("object %s: %w", place(k.Key, k.ID), err)
	}
	return nil
}

// Put puts an object into a shard that has nothing of it. Its database is at path, and has no log. The shard carries
// out a batch before Commit returns.
func Put(s InShard, key, id, name string, alarm time.Time, path string) error {
	b := newObject(&owned{shard: s}, key, id)
	failed := error(nil)
	done := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	err := b.keep(storage.Commit{ID: id, Name: name, Alarm: alarm, Path: path, Anew: true, Exists: true}, done)
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("object %s: %w", place(key, id), err)
	}
	return nil
}
