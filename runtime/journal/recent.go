package journal

import "fmt"

// Recent reads what is new in all journals below a folder, whenever somebody looks, for those to whom the latest events
// are enough. Sessions may write meanwhile. One goroutine at a time; Close it.
type Recent struct {
	dir  string
	room int64
	r    *reader
	seen map[string]segment // the last segment of each journal, as Grown saw it
}

// NewRecent makes a Recent that reads about room bytes of each journal at most, the latest, in one look. It reads whole
// segments, so it may be one more.
func NewRecent(dir string, room int64) *Recent { return &Recent{dir: dir, room: room} }

// Read calls f with what was written since the last look, in the order in which the events were over. gap says that
// older entries were passed over, because more than the room was written meanwhile.
func (n *Recent) Read(f func(*Entry) error) (gap bool, err error) {
	if n.r == nil {
		if n.r, err = newReader(n.dir, nil); err != nil {
			return false, err
		}
	} else if err := n.r.find(n.dir, false); err != nil {
		return false, err
	}
	for _, j := range n.r.folders {
		passed, err := j.skip(n.room)
		if err != nil {
			return gap, fmt.Errorf("journal: %w", err)
		}
		gap = gap || passed
	}
	return gap, n.r.read(f)
}

// Grown tells whether anything was written since it was asked last.
func (n *Recent) Grown() (bool, error) {
	look := &reader{folders: map[string]*folder{}}
	if err := look.find(n.dir, false); err != nil {
		return false, err
	}
	grown, seen := false, map[string]segment{}
	for path := range look.folders {
		list, err := segmentsOf(path)
		if err != nil {
			return false, fmt.Errorf("journal: %w", err)
		}
		if len(list) == 0 {
			continue
		}
		last := list[len(list)-1]
		before, known := n.seen[path]
		grown = grown || !known || before.index != last.index || before.size != last.size
		seen[path] = last
	}
	n.seen = seen
	return grown, nil
}

// Close closes the files.
func (n *Recent) Close() {
	if n.r != nil {
		n.r.close()
		n.r = nil
	}
}

// skip passes over the oldest segments that were not read yet, so that what is left has about room bytes. The segment
// that is being read is only left if the ones behind it are more than that; the last one is always read.
func (j *folder) skip(room int64) (passed bool, err error) {
	list, err := segmentsOf(j.dir)
	if err != nil {
		return false, err
	}
	for i := len(list) - 1; i > 0; i-- {
		room -= list[i].size
		if list[i].index <= j.index && j.file != nil {
			return false, nil // all that is new is wanted
		}
		if room > 0 {
			continue
		}
		j.close()
		j.data, j.head, j.damage, j.told = nil, nil, nil, false
		j.index = list[i-1].index
		return true, nil
	}
	return false, nil
}
