package logstoretest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"testing"

	"eddy/queues/logstore"
	"eddy/runtime/statedir"
)

// Exercise tests the log on a file system; fresh gives a new, empty one and the folder to use.
func Exercise(t *testing.T, fresh func(t *testing.T) (logstore.FS, string)) {
	for name, test := range map[string]func(*testing.T, *rig){
		"Reopen":        reopen,
		"ReadAt":        readAt,
		"SnapshotDrop":  snapshotAndDrop,
		"TearAnywhere":  tearAnywhere,
		"FlipAnyBit":    flipAnyBit,
		"ZeroTail":      zeroTail,
		"SecondOpener":  secondOpener,
		"MissingMiddle": missingMiddle,
		"ForeignFiles":  foreignFiles,
		"OrderlyEnd":    afterOrderlyEnd,
		"FirstFrame":    firstFrame,
	} {
		t.Run(name, func(t *testing.T) {
			fs, dir := fresh(t)
			test(t, &rig{t: t, fs: fs, dir: dir})
		})
	}
}

type rig struct {
	t       *testing.T
	fs      logstore.FS
	dir     string
	segment int64
	// Filled by open.
	pieces, groups []string
	refs           []logstore.Ref
}

func (r *rig) try() (*logstore.Log, error) {
	r.pieces, r.groups, r.refs = nil, nil, nil
	return logstore.Open(logstore.Options{
		Dir: r.dir, FS: r.fs, SegmentBytes: r.segment,
		LoadSnapshot: func(p []byte) error { r.pieces = append(r.pieces, string(p)); return nil },
		Replay: func(at logstore.Ref, g []byte) error {
			r.groups, r.refs = append(r.groups, string(g)), append(r.refs, at)
			return nil
		},
	})
}

func (r *rig) open() *logstore.Log {
	r.t.Helper()
	l, err := r.try()
	if err != nil {
		r.t.Fatal(err)
	}
	return l
}

func (r *rig) append(l *logstore.Log, groups ...string) []logstore.Ref {
	r.t.Helper()
	var refs []logstore.Ref
	for _, g := range groups {
		at, err := l.Append([]byte(g), true)
		if err != nil {
			r.t.Fatal(err)
		}
		refs = append(refs, at)
	}
	return refs
}

func (r *rig) close(l *logstore.Log) {
	r.t.Helper()
	if err := l.Close(); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) wantGroups(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.groups, want) {
		r.t.Fatalf("replayed %q, want %q", r.groups, want)
	}
}

func (r *rig) read(name string) []byte {
	r.t.Helper()
	f, err := r.fs.Open(path.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	size, err := f.Size()
	if err != nil {
		r.t.Fatal(err)
	}
	data := make([]byte, size)
	if size > 0 {
		if _, err := f.ReadAt(data, 0); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		r.t.Fatal(err)
	}
	return data
}

func (r *rig) write(name string, data []byte) {
	r.t.Helper()
	f, err := r.fs.Create(path.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		r.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// crash takes away what an orderly end left beside the log.
func (r *rig) crash() {
	r.t.Helper()
	if err := r.fs.Remove(logstore.MarkFile(r.dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
}

// refused opens a damaged log and checks that it is refused with an error that names file.
func (r *rig) refused(what, file string) {
	r.t.Helper()
	l, err := r.try()
	var c *logstore.CorruptError
	if !errors.As(err, &c) || path.Base(c.File) != file {
		r.t.Fatalf("%s: %v, want %s named", what, err, file)
	}
	if l != nil {
		r.t.Fatalf("%s: a log with an error", what)
	}
}

// afterOrderlyEnd checks that a log which ended in order is either whole or refused, even if a crash could have left
// the same files: a shorter tail, a changed bit of the last frame, a longer file, no newest segment, no segments.
func afterOrderlyEnd(t *testing.T, r *rig) {
	r.segment = 100
	l := r.open()
	r.append(l, "alpha", "a group that fills the rest of the first segment, and more of it than there is", "gamma")
	r.close(l)
	first, second := r.read("00000001.log"), r.read("00000002.log")
	for n := range second {
		r.write("00000002.log", second[:n])
		r.refused(fmt.Sprintf("%d of %d bytes", n, len(second)), "00000002.log")
	}
	for at := range second {
		bad := bytes.Clone(second)
		bad[at] ^= 1
		r.write("00000002.log", bad)
		r.refused(fmt.Sprintf("byte %d", at), "00000002.log")
	}
	r.write("00000002.log", append(bytes.Clone(second), make([]byte, 100)...))
	r.refused("a longer tail", "00000002.log")
	r.write("00000001.log", first[:len(first)-1])
	r.write("00000002.log", second)
	r.refused("a shorter first segment", "00000001.log")
	r.write("00000001.log", first)
	if err := r.fs.Remove(path.Join(r.dir, "00000002.log")); err != nil {
		t.Fatal(err)
	}
	r.refused("without the newest segment", "00000002.log")
	if err := r.fs.Remove(path.Join(r.dir, "00000001.log")); err != nil {
		t.Fatal(err)
	}
	r.refused("without any", "00000002.log")
	r.write("00000001.log", first)
	r.write("00000002.log", second)
	mark := r.read("../" + path.Base(logstore.MarkFile(r.dir)))
	for i := range mark {
		bad := bytes.Clone(mark)
		bad[i] ^= 1
		r.write("../"+path.Base(logstore.MarkFile(r.dir)), bad)
		r.refused("a damaged mark", path.Base(logstore.MarkFile(r.dir)))
	}
	r.write("../"+path.Base(logstore.MarkFile(r.dir)), mark)
	l = r.open()
	r.close(l) // nothing was written: all is as before
	l = r.open()
	r.append(l, "delta")
	// While the log is written to, and after a crash, the newest segment may not be missing either, and no full segment
	// may be shorter.
	if got := string(r.read("../" + path.Base(logstore.MarkFile(r.dir)))); bytes.Contains(
		[]byte(got),
		[]byte("closed"),
	) {
		t.Fatalf("the mark of an open log: %s", got)
	}
	r.close(l)
}

// firstFrame checks that damage of a segment's first frame is refused. That frame is durable before more is written, so
// its damage is never a torn tail.
func firstFrame(t *testing.T, r *rig) {
	l := r.open()
	r.append(l, "alpha")
	r.close(l)
	r.crash()
	whole := r.read("00000001.log")
	for at := range 28 {
		bad := bytes.Clone(whole)
		bad[at] ^= 1
		r.write("00000001.log", bad)
		r.refused(fmt.Sprintf("byte %d", at), "00000001.log")
	}
}

func reopen(t *testing.T, r *rig) {
	r.segment = 100 // many segments
	var want []string
	for i := range 20 {
		l := r.open()
		r.wantGroups(want...)
		if cut := l.Report().Cut; len(cut) > 0 {
			t.Fatalf("cut after a clean close: %v", cut)
		}
		g := fmt.Sprintf("group %d", i)
		r.append(l, g, "")
		want = append(want, g, "")
		r.close(l)
		if _, err := l.Append(nil, true); !errors.Is(err, logstore.ErrPoisoned) {
			t.Fatalf("append after close: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Fatalf("second close: %v", err)
		}
	}
}

func readAt(t *testing.T, r *rig) {
	r.segment = 64
	l := r.open()
	refs := r.append(l, "first group", "second", "third group of them")
	check := func(l *logstore.Log) {
		for i, want := range []string{"first group", "second", "third group of them"} {
			got := make([]byte, len(want))
			if err := l.ReadAt(got, refs[i]); err != nil || string(got) != want {
				t.Fatalf("read %q, %v; want %q", got, err, want)
			}
		}
	}
	check(l)
	r.close(l)
	l = r.open()
	if !slices.Equal(refs, r.refs) {
		t.Fatalf("replay says %v, append said %v", r.refs, refs)
	}
	check(l)
	if err := l.ReadAt(make([]byte, 99), refs[2]); !isCorrupt(err) {
		t.Fatalf("reading past the end: %v", err)
	}
	r.close(l)
}

func snapshotAndDrop(t *testing.T, r *rig) {
	l := r.open()
	old := r.append(l, "a", "b")
	if err := l.Drop(1); err == nil {
		t.Fatal("a segment that replay needs was dropped")
	}
	for i := range 2 {
		if err := l.Snapshot(func(add func([]byte) error) error {
			return errors.Join(add([]byte("one")), add(fmt.Appendf(nil, "two %d", i)))
		}); err != nil {
			t.Fatal(err)
		}
	}
	r.append(l, "c")
	r.close(l)
	l = r.open()
	r.wantGroups("c")
	if !slices.Equal(r.pieces, []string{"one", "two 1"}) {
		t.Fatalf("loaded %q", r.pieces)
	}
	got := make([]byte, 1)
	if err := l.ReadAt(got, old[1]); err != nil || string(got) != "b" {
		t.Fatalf("read below the snapshot: %q, %v", got, err)
	}
	for _, s := range l.Segments() {
		if s.Sealed {
			if err := l.Drop(s.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.ReadAt(got, old[1]); !isCorrupt(err) {
		t.Fatalf("read of a dropped segment: %v", err)
	}
	failed := errors.New("no")
	if err := l.Snapshot(func(func([]byte) error) error { return failed }); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	r.append(l, "d")
	r.close(l)
	r.close(r.open())
	r.wantGroups("c", "d")
	if !slices.Equal(r.pieces, []string{"one", "two 1"}) {
		t.Fatalf("loaded %q", r.pieces)
	}
}

// tearAnywhere cuts the last file at every byte and checks that the groups before the tear are there, and the log goes
// on.
func tearAnywhere(t *testing.T, r *rig) {
	l := r.open()
	refs := r.append(l, "alpha", "beta", "gamma")
	r.close(l)
	whole := r.read("00000001.log")
	for n := range whole {
		r.write("00000001.log", whole[:n])
		r.crash()
		l := r.open()
		var want []string
		for i, g := range []string{"alpha", "beta", "gamma"} {
			if int(refs[i].Offset)+len(g) <= n {
				want = append(want, g)
			}
		}
		r.wantGroups(want...)
		r.append(l, "delta")
		r.close(l)
		l = r.open()
		r.wantGroups(append(want, "delta")...)
		if cut := l.Report().Cut; len(cut) != 0 {
			t.Fatalf("cut again: %v", cut)
		}
		r.close(l)
	}
}

// flipAnyBit changes every bit in turn. No damage may ever be replayed. Only damage of the last group may be taken for
// a torn tail; all other damage must be refused.
func flipAnyBit(t *testing.T, r *rig) {
	l := r.open()
	refs := r.append(l, "alpha", "beta", "gamma")
	r.close(l)
	whole := r.read("00000001.log")
	last := int(refs[1].Offset) + len("beta")
	for bit := range len(whole) * 8 {
		bad := bytes.Clone(whole)
		bad[bit/8] ^= 1 << (bit % 8)
		r.write("00000001.log", bad)
		r.crash()
		l, err := r.try()
		if err != nil {
			var c *logstore.CorruptError
			if !errors.As(err, &c) || path.Base(c.File) != "00000001.log" {
				t.Fatalf("bit %d: %v does not name the damage", bit, err)
			}
			continue
		}
		if bit/8 < last {
			t.Fatalf("bit %d of byte %d, damage before byte %d, went unnoticed: %q", bit%8, bit/8, last, r.groups)
		}
		r.wantGroups("alpha", "beta")
		if len(l.Report().Cut) != 1 {
			t.Fatalf("bit %d: nothing was reported", bit)
		}
		r.close(l)
	}
}

// zeroTail checks that no group appears from zeros at the end of a file, which the system may leave there when it has
// made the file longer and not written to it.
func zeroTail(t *testing.T, r *rig) {
	l := r.open()
	r.append(l, "alpha")
	r.close(l)
	whole := r.read("00000001.log")
	for _, n := range []int{1, 7, 8, 24, 4096} {
		r.write("00000001.log", append(bytes.Clone(whole), make([]byte, n)...))
		r.crash()
		l := r.open()
		r.wantGroups("alpha")
		if len(l.Report().Cut) != 1 {
			t.Fatalf("%d zeros: nothing was reported", n)
		}
		r.close(l)
	}
}

func secondOpener(t *testing.T, r *rig) {
	l := r.open()
	var locked *statedir.LockedError
	if _, err := r.try(); !errors.As(err, &locked) {
		t.Fatalf("second open: %v", err)
	}
	r.append(l, "still mine")
	r.close(l)
	r.close(r.open())
	r.wantGroups("still mine")
}

func missingMiddle(t *testing.T, r *rig) {
	r.segment = 30
	l := r.open()
	r.append(l, "a", "b", "c")
	r.close(l)
	if err := r.fs.Remove(path.Join(r.dir, "00000002.log")); err != nil {
		t.Fatal(err)
	}
	_, err := r.try()
	var c *logstore.CorruptError
	if !errors.As(err, &c) || path.Base(c.File) != "00000002.log" {
		t.Fatalf("a missing segment: %v", err)
	}
}

func foreignFiles(t *testing.T, r *rig) {
	l := r.open()
	r.append(l, "a")
	r.close(l)
	r.write("README.txt", []byte("hello"))
	r.write("1.log", []byte("not 00000001.log"))
	r.write("7.snap", []byte("nor a snapshot"))
	r.write("00000009.snap.tmp", []byte("half a snapshot"))
	r.close(r.open())
	r.wantGroups("a")
	names, err := r.fs.List(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(names, "00000009.snap.tmp") || !slices.Contains(names, "README.txt") {
		t.Fatalf("files left: %v", names)
	}
}

func isCorrupt(err error) bool {
	var c *logstore.CorruptError
	return errors.As(err, &c)
}
