package storage

import (
	"time"

	"eddy/runtime/sqlite"
)

// alarmState is what a Store remembers of the object's alarm.
type alarmState struct {
	known bool
	at    time.Time // as the open transaction sees it; zero for none
	dirty bool      // changed since the last commit

	indexed      time.Time // what the index holds, as far as this Store knows
	indexKnown   bool
	indexChanged bool // since the last Sync
}

const createMetadata = `CREATE TABLE IF NOT EXISTS _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      )`

// Alarm is the scheduled time, to the nanosecond, or zero (AL2).
func (s *Store) Alarm() (time.Time, error) {
	if s.broken != nil {
		return time.Time{}, s.broken
	}
	if s.alarm.known {
		return s.alarm.at, nil
	}
	at := time.Time{}
	h, err := s.acquire(false)
	if err != nil {
		return at, err
	}
	if h != nil {
		ok, err := s.hasMetadata(h)
		if err != nil {
			return at, err
		}
		if ok {
			err = s.query(h, "SELECT value FROM _cf_METADATA WHERE key = 1", func(q *sqlite.Stmt) {
				if !q.Null(0) {
					at = time.Unix(0, q.Int(0))
				}
			})
			if err != nil {
				return at, err
			}
		}
	}
	s.alarm.known, s.alarm.at = true, at
	return at, nil
}

func (s *Store) hasMetadata(h *handle) (bool, error) {
	if !h.metadata {
		var err error
		if h.metadata, err = h.hasTable("_cf_METADATA"); err != nil {
			return false, s.fail(err)
		}
	}
	return h.metadata, nil
}

// SetAlarm schedules the alarm, replacing any other; zero removes it. It takes
// part in the open transaction.
func (s *Store) SetAlarm(at time.Time) error {
	old, err := s.Alarm()
	if err != nil || old.Equal(at) {
		return err
	}
	h, err := s.write()
	if err != nil {
		return err
	}
	var value any
	if !at.IsZero() {
		value = at.UnixNano()
	}
	if err := s.putMetadata(h, 1, value); err != nil {
		return err
	}
	s.alarm.known, s.alarm.at, s.alarm.dirty = true, at, true
	return nil
}

// DeleteAlarm removes the alarm.
func (s *Store) DeleteAlarm() error { return s.SetAlarm(time.Time{}) }

// putMetadata writes one row of _cf_METADATA.
func (s *Store) putMetadata(h *handle, key int64, value any) error {
	if ok, err := s.hasMetadata(h); err != nil {
		return err
	} else if !ok {
		if err := s.query(h, createMetadata, nil); err != nil {
			return err
		}
		h.metadata = true
	}
	return s.query(h, "INSERT INTO _cf_METADATA VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", nil,
		key, value)
}

// commitAlarm runs commit and brings the index in line. The index never says
// later than the object: an earlier time is written before the commit, a later
// one after it, so a crash in between costs one needless look at the object.
func (s *Store) commitAlarm(commit func() error) error {
	if !s.alarm.dirty {
		return commit()
	}
	at, err := s.Alarm()
	if err != nil {
		return err
	}
	old := s.alarm.indexed
	earlier := !at.IsZero() && (!s.alarm.indexKnown || old.IsZero() || at.Before(old))
	if earlier {
		if err := s.indexAlarm(at); err != nil {
			return err
		}
	}
	if err := commit(); err != nil {
		return err
	}
	s.alarm.dirty = false
	if !earlier && !(s.alarm.indexKnown && at.Equal(old)) {
		return s.indexAlarm(at)
	}
	return nil
}

func (s *Store) indexAlarm(at time.Time) error {
	if err := s.ns.index.set(s.id, s.name, at); err != nil {
		return err
	}
	s.alarm.indexed, s.alarm.indexKnown, s.alarm.indexChanged = at, true, true
	return nil
}
