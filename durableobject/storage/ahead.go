package storage

import (
	"fmt"
	"os"
	"time"

	"eddy/runtime/sqlite"
)

// An alarm is asked for at a time, and keeps it: unlike a delay it says nothing of how long to wait, and the object
// reads the same time back. So when the clock was ahead as alarms were set, and is right again, they wait for that time
// to come. Nobody can know whether that was meant, so the user is told.

// aheadFrom is how far in the future a file's time counts; less is a time server's doing.
const aheadFrom = time.Second

// writtenAhead is the time of the index's files if it is still to come: the machine's clock was ahead when they were
// written. Both times are the machine's, whatever the session's clock says.
func writtenAhead(path string) (until time.Time, by time.Duration) {
	for _, suffix := range []string{"", "-wal"} {
		if st, err := os.Stat(path + suffix); err == nil && st.ModTime().After(until) {
			until = st.ModTime()
		}
	}
	if by = time.Until(until); by < aheadFrom {
		return time.Time{}, 0
	}
	return until, by
}

// noteClock notes in the index that the clock was set back since an alarm was set: the times of its files no longer say
// so. ix.mu is held, and the file is open.
func (ix *index) noteClock() error {
	now := ix.now().Round(0)
	was := ix.latest
	ix.latest = now
	by := was.Sub(now)
	if was.IsZero() || by < aheadFrom {
		if was.After(now) {
			ix.latest = was
		}
		return nil
	}
	err := ix.run("CREATE TABLE IF NOT EXISTS _eddy_AHEAD (until INTEGER, by INTEGER)")
	if err == nil {
		err = ix.run("INSERT INTO _eddy_AHEAD VALUES(?, ?)", was.UnixNano(), int64(by))
	}
	return ix.wrap("note the clock", err)
}

// takeAhead is the latest note of noteClock, 0 for none; it is taken out. ix.mu is held, and the file is open.
func (ix *index) takeAhead() (until time.Time, by time.Duration, err error) {
	s, _, err := ix.db.Prepare("SELECT 1 FROM sqlite_master WHERE name = '_eddy_AHEAD'", sqlite.Trusted)
	if err != nil {
		return until, 0, ix.wrap("read", err)
	}
	found, err := s.Step()
	s.Close()
	if err != nil || !found {
		return until, 0, ix.wrap("read", err)
	}
	if s, _, err = ix.db.Prepare("SELECT until, by FROM _eddy_AHEAD ORDER BY until DESC LIMIT 1",
		sqlite.Trusted); err != nil {
		return until, 0, ix.wrap("read", err)
	}
	if found, err = s.Step(); found {
		until, by = time.Unix(0, s.Int(0)), time.Duration(s.Int(1))
	}
	s.Close()
	if err == nil {
		err = ix.run("DROP TABLE _eddy_AHEAD")
	}
	return until, by, ix.wrap("read", err)
}

// tellAhead says which alarms wait for a time that may have been meant to be another one; ix.mu is held.
func (ix *index) tellAhead(until time.Time, by time.Duration, now time.Time) error {
	list, err := ix.alarmsLocked("")
	if err != nil {
		return err
	}
	for len(list) > 0 && !list[0].Time.After(now) {
		list = list[1:]
	}
	if len(list) == 0 {
		return nil
	}
	shown := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	ix.notify(fmt.Sprintf("The clock was ahead when alarms were last set in %s: it said %s and was %s ahead. "+
		"An alarm keeps its time, so what was meant to be soon may be late: "+
		"%d to come, the first at %s, the last at %s. "+
		"eddy objects alarms lists them; setAlarm() in the object sets another time.",
		ix.path, shown(until), by.Round(time.Second), len(list), shown(list[0].Time),
		shown(list[len(list)-1].Time)))
	return nil
}
