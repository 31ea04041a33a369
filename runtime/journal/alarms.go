package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"eddy/runtime/cause"
)

// Alarms outlive the session that set them, and their events belong to the trace of what did. So their causes are in a
// file of the journal's folder: a line for each alarm that is set, the last of a key counts. A line without a cause
// takes the key away. The file is written anew at each start.

const (
	alarmsFile = "alarms"
	// maxAlarms is how many causes of alarms are kept, and maxAlarmsFile how many bytes the file may have.
	maxAlarms     = 100_000
	maxAlarmsFile = 32 << 20
)

// alarms are the causes of alarms that wait. The journal's mutex guards them, but for file and size.
type alarms struct {
	causes  map[string]cause.Cause
	pending bytes.Buffer // lines that wait
	file    *os.File     // the writer's own
	size    int
}

// SetAlarm remembers the cause of an alarm. An empty cause removes it. Any goroutine.
func (j *Journal) SetAlarm(key string, c cause.Cause) {
	if j == nil || strings.ContainsAny(key, "\t\n") {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	a := &j.mu.alarms
	had, known := a.causes[key]
	switch {
	case j.mu.closed && !j.unkept || j.mu.ended || c == had && known == c.Valid():
		return
	case !c.Valid():
		delete(a.causes, key)
	case !known && len(a.causes) >= maxAlarms:
		return
	default:
		a.causes[key] = c
	}
	if j.unkept {
		return
	}
	if a.pending.Len() < buffered {
		fmt.Fprintf(&a.pending, "%s\t%s\n", key, c)
	}
	signal(j.wake)
}

// AlarmCause returns the cause of an alarm; it is empty if nobody knows it. Any goroutine.
func (j *Journal) AlarmCause(key string) cause.Cause {
	if j == nil {
		return cause.Cause{}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.mu.alarms.causes[key]
}

// load reads the file that an earlier session has left, and writes it anew without alarms that have fired. A line that
// was cut off does not count.
func (a *alarms) load(dir string) error {
	a.causes = map[string]cause.Cause{}
	path := filepath.Join(dir, alarmsFile)
	old, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the file is made when there is something to write
	} else if err != nil {
		return err
	}
	lines := bufio.NewScanner(old)
	for lines.Scan() {
		key, text, _ := strings.Cut(lines.Text(), "\t")
		if c := cause.Parse(text); c.Valid() && len(a.causes) < maxAlarms {
			a.causes[key] = c
		} else {
			delete(a.causes, key)
		}
	}
	// A file that cannot be read does not keep the session from starting: it holds causes, and nothing else needs them.
	if err := old.Close(); err != nil {
		return err
	}
	if len(a.causes) == 0 {
		return os.Remove(path)
	}
	var b bytes.Buffer
	for key, c := range a.causes {
		fmt.Fprintf(&b, "%s\t%s\n", key, c)
	}
	if err := os.WriteFile(path+".new", b.Bytes(), 0o600); err != nil {
		return err
	}
	a.size = b.Len()
	return os.Rename(path+".new", path)
}

// write appends lines to the file. The writer's goroutine.
func (a *alarms) write(dir string, lines []byte) (err error) {
	if len(lines) == 0 || a.size > maxAlarmsFile {
		return nil
	}
	if a.file == nil {
		if a.file, err = os.OpenFile(filepath.Join(dir, alarmsFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY,
			0o600); err != nil {
			return err
		}
	}
	a.size += len(lines)
	_, err = a.file.Write(lines)
	return err
}

// close closes the file. The writer's goroutine has ended.
func (a *alarms) close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}
