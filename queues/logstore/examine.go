package logstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"eddy/runtime/statedir"
)

// Finding is something that is wrong with a log.
type Finding struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Reason string `json:"reason"`
	// Harmless says that the finding is what a crash leaves of a write that was not confirmed. The next start removes
	// it.
	Harmless bool `json:"harmless,omitempty"`
}

// Examination is what [Examine] found.
type Examination struct {
	Findings []Finding
	// Groups is how many groups read back, Lost how many sound ones lie behind the damage.
	Groups, Lost int

	dir      string
	snapshot uint32 // the newest snapshot that reads back, 0 for none
	last     uint32 // the sound part ends in this segment, 0 for nowhere
	end      int64  // at this offset
}

// Sound tells whether the log opens.
func (e *Examination) Sound() bool {
	return !slices.ContainsFunc(e.Findings, func(f Finding) bool { return !f.Harmless })
}

func (e *Examination) found(err error) {
	f := Finding{Reason: err.Error()}
	var c *CorruptError
	if errors.As(err, &c) {
		f = Finding{File: c.File, Offset: c.Offset, Reason: c.Reason}
	}
	e.Findings = append(e.Findings, f)
}

// Examine reads a log on disk without changing it. It calls LoadSnapshot and Replay of the options with what a repaired
// log will hold; where one of them returns an error, the log counts as damaged. It calls lost with each sound group
// that lies behind the damage. A log that a process has open is refused with a *[statedir.LockedError].
func Examine(o Options, lost func(group []byte)) (*Examination, error) {
	if _, err := os.Stat(o.Dir); err == nil {
		lock, err := statedir.Lock(filepath.Join(o.Dir, "lock"))
		if err != nil {
			return nil, err
		}
		defer lock.Release()
	}
	e := &Examination{dir: o.Dir}
	l := &Log{o: o, fs: MachineFS{}}
	mark, err := readMark(l.fs, o.Dir)
	if err != nil {
		e.found(err)
	}
	segments, snapshots, err := l.present()
	if errors.Is(err, fs.ErrNotExist) {
		if mark != nil {
			e.found(&CorruptError{File: o.Dir, Reason: "the folder is missing"})
		}
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Backward(snapshots) {
		if err := l.readSnapshot(id, nil); err != nil {
			e.found(err)
			continue
		}
		if err := l.readSnapshot(id, o.LoadSnapshot); err != nil {
			return nil, err
		}
		e.snapshot = id
		break
	}
	if mark != nil {
		if err := mark.check(o.Dir, segments); err != nil {
			e.found(err)
		}
	}
	e.walk(l, segments, mark, lost)
	return e, nil
}

// walk reads the segments in order up to the first place that does not read back, and then looks for sound frames
// behind it.
func (e *Examination) walk(l *Log, segments []uint32, mark *mark, lost func([]byte)) {
	want, broken := max(1, e.snapshot), false
	for i, id := range segments {
		s := &segment{id: id, name: path.Join(l.o.Dir, segmentName(id))}
		data, err := ReadFile(s.name)
		unread := err != nil
		if err == nil && mark != nil {
			err = mark.checkSize(s, int64(len(data)))
		}
		if err != nil {
			e.found(err)
		}
		if id < e.snapshot {
			continue
		}
		if id != want && !broken {
			e.found(&CorruptError{File: path.Join(l.o.Dir, segmentName(want)), Reason: "the file is missing"})
			broken = true
		}
		broken = broken || unread
		want = id + 1
		at := 0
		for at < len(data) && !broken {
			f, n, err := parseFrame(data[at:])
			if err == nil {
				err = l.checkFrame(s, f, at)
			}
			if err == nil && f.kind == kindGroup && l.o.Replay != nil {
				err = l.o.Replay(Ref{Segment: id, Offset: uint32(at + frameHeader)}, f.payload)
			}
			if err != nil {
				broken = true
				e.Findings = append(e.Findings, Finding{
					File: s.name, Offset: int64(at), Reason: err.Error(),
					Harmless: i == len(segments)-1 && !(mark != nil && mark.closed) && l.provenSynced(data, at) < 0,
				})
				break
			}
			l.seq = f.seq
			if f.kind == kindGroup {
				e.Groups++
			}
			at += n
			e.last, e.end = id, int64(at)
		}
		if broken {
			eachSound(data[at:], l.seq, func(f frame, _ int) bool {
				if f.kind == kindGroup {
					e.Lost++
					lost(f.payload)
				}
				return true
			})
		}
	}
}

// eachSound calls f for each sound frame in p that begins after the first byte and has a sequence number above seq. It
// ends when f returns false.
func eachSound(p []byte, seq uint64, f func(fr frame, at int) bool) {
	for i := 1; i < len(p); {
		j := bytes.IndexByte(p[i:], magic0)
		if j < 0 {
			return
		}
		i += j
		fr, n, err := parseFrame(p[i:])
		if err != nil || fr.seq <= seq {
			i++
			continue
		}
		if !f(fr, i) {
			return
		}
		i += n
	}
}

// provenSynced returns the offset of a frame which proves that the bytes at offset at were once durable, -1 if there is
// none. A segment's first frame is durable before anything else is written to the file, so anything behind it is such a
// proof.
func (l *Log) provenSynced(data []byte, at int) int {
	proof := -1
	eachSound(data[at:], l.seq, func(f frame, i int) bool {
		if int64(f.synced) > int64(at) {
			proof = at + i
		}
		return proof < 0
	})
	if proof < 0 && at == 0 && len(data) > frameHeader+4 {
		return 0
	}
	return proof
}

// Repair makes a damaged log open again: it keeps what reads back, up to the damage, and nothing behind it. Before that
// it copies the files as they were to a new folder beside the log's, whose path it returns. The log must not be open.
func (e *Examination) Repair() (kept string, err error) {
	if kept, err = keepAside(e.dir); err != nil {
		return "", fmt.Errorf("keep the damaged files: %w", err)
	}
	names, err := os.ReadDir(e.dir)
	if errors.Is(err, fs.ErrNotExist) {
		names, err = nil, nil
	}
	if err != nil {
		return kept, err
	}
	// Replay begins with the newest snapshot or with segment 1.
	first := max(1, e.snapshot)
	var errs []error
	for _, n := range names {
		var id uint32
		_, err := fmt.Sscanf(n.Name(), "%08d.", &id)
		name := filepath.Join(e.dir, n.Name())
		switch {
		case err != nil:
		case n.Type()&fs.ModeSymlink != 0: // nothing of it was read
			errs = append(errs, os.Remove(name))
		case n.Name() == snapshotName(id) && id != e.snapshot:
			errs = append(errs, os.Remove(name))
		case n.Name() == segmentName(id) && id >= first && (id > e.last || e.last == 0):
			errs = append(errs, os.Remove(name))
		case n.Name() == segmentName(id) && id == e.last:
			errs = append(errs, os.Truncate(name, e.end))
		}
	}
	if err := os.Remove(MarkFile(e.dir)); !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return kept, err
	}
	if e.snapshot > 0 && e.last == 0 {
		// A snapshot needs its segment, if only the first frame of it.
		l := &Log{o: Options{Dir: e.dir}, fs: MachineFS{}}
		if err := l.create(e.snapshot); err != nil {
			return kept, err
		}
		return kept, l.tail.file.Close()
	}
	return kept, nil
}

// keepAside copies a log's folder and its mark to a new folder beside it.
func keepAside(dir string) (kept string, err error) {
	for n := 1; ; n++ {
		kept = fmt.Sprintf("%s.kept-%d", dir, n)
		err := os.Mkdir(kept, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		break
	}
	if _, err := os.Stat(dir); err == nil {
		if err := os.CopyFS(kept, os.DirFS(dir)); err != nil {
			return "", err
		}
	}
	mark, err := os.ReadFile(MarkFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return "", err
	}
	return kept, os.WriteFile(filepath.Join(kept, filepath.Base(MarkFile(dir))), mark, 0o600)
}
