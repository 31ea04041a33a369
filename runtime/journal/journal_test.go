package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// event is an entry that a test knows by its number.
func event(n int, body string) *Entry {
	return &Entry{Kind: Queue, At: int64(n) * 1000, Worker: "w", Outcome: "ok", Trace: [16]byte{1},
		Span:     [8]byte{byte(n), 1},
		Delivery: &Delivery{Queue: "q", Messages: []Message{{ContentType: "text", Body: []byte(body), Outcome: Ack}}}}
}

func open(t *testing.T, o Options) (*Journal, *told) {
	t.Helper()
	said := &told{}
	o.Tell = said.tell
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return j, said
}

// told collects lines from any goroutine.
type told struct {
	mu    sync.Mutex
	lines []string
}

func (s *told) tell(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

func (s *told) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

// read returns the times of all entries in milliseconds, and what was told of damage.
func read(t *testing.T, dir string) (at []int64, said string) {
	t.Helper()
	var lines told
	if err := Read(dir, lines.tell, func(e *Entry) error {
		at = append(at, e.At/1000)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return at, lines.all()
}

func upTo(first, last int) (list []int64) {
	for i := first; i <= last; i++ {
		list = append(list, int64(i))
	}
	return list
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	dir := t.TempDir()
	a, _ := open(t, Options{Dir: filepath.Join(dir, "a")})
	b, _ := open(t, Options{Dir: filepath.Join(dir, "b")})
	for i := 1; i <= 100; i++ {
		if i%3 == 0 {
			b.Add(event(i, "x"))
		} else {
			a.Add(event(i, "x"))
		}
	}
	if err := errors.Join(a.Close(), b.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if at, said := read(t, dir); !reflect.DeepEqual(at, upTo(1, 100)) || said != "" {
		t.Errorf("got %v, told %q; want 1 to 100, those of both journals in order of time", at, said)
	}
	a, _ = open(t, Options{Dir: filepath.Join(dir, "a")})
	a.Add(event(101, "x"))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if at, _ := read(t, dir); !reflect.DeepEqual(at, upTo(1, 101)) {
		t.Errorf("after another start: got %v, want 1 to 101", at)
	}
}

// set gives every field of a value something, so that one that is not encoded shows.
func set(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		set(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				set(v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		set(v.Index(0), n)
		set(v.Index(1), n)
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(*n))
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(http.Header{"A": {fmt.Sprint(*n)}}))
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	default:
		panic("a field of a kind that the test does not know: " + v.Type().String())
	}
}

func TestEveryFieldIsKept(t *testing.T) {
	var want Entry
	n := 0
	set(reflect.ValueOf(&want).Elem(), &n)
	b, err := appendFrame(nil, &want)
	if err != nil {
		t.Fatal(err)
	}
	got, used, skipped, err := nextFrame(b)
	if err != nil || got == nil || used != len(b) || skipped != 0 {
		t.Fatalf("got %v after %d of %d bytes, %d skipped: %v", got, used, len(b), skipped, err)
	}
	if diff := cmp.Diff(&want, got, cmpopts.IgnoreUnexported(Entry{})); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

// A damaged byte costs the entry that it is in, and a line.
func TestDamageCostsOneEntry(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 30 {
		dir := t.TempDir()
		j, _ := open(t, Options{Dir: filepath.Join(dir, "w")})
		for i := 1; i <= 20; i++ {
			j.Add(event(i, strings.Repeat("b", random.IntN(50))))
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "w", "00000000000000000001")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		place := random.IntN(len(data))
		data[place] ^= byte(1 + random.IntN(255))
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		at, said := read(t, dir)
		// Damage of what tidwall/wal has between entries costs none. The last entry may be one that is being written,
		// so nothing is said of it.
		if len(at) == 20 && said == "" || reflect.DeepEqual(at, upTo(1, 19)) ||
			len(at) == 19 && strings.Contains(said, "skipped what cannot be read in segment 1") {
			continue
		}
		t.Errorf("byte %d of %d changed: read %v, told %q", place, len(data), at, said)
	}
}

// A journal that does not open is set aside, with a line; what it has is still read.
func TestWhatDoesNotOpenIsSetAside(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "w")
	for round := range 2 {
		j, said := open(t, Options{Dir: own})
		j.Add(event(round*2+1, "first"))
		j.Add(event(round*2+2, "second"))
		if err := j.Close(); err != nil || round == 0 && said.all() != "" {
			t.Fatal(err, said.all())
		}
		if round == 1 && !strings.Contains(said.all(), "is set aside as "+own+".aside, and a new one is begun") {
			t.Errorf("told %q", said.all())
		}
		file := filepath.Join(own, "00000000000000000001")
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			if err := os.Truncate(file, info.Size()-3); err != nil {
				t.Fatal(err)
			}
		}
	}
	if at, _ := read(t, dir); !reflect.DeepEqual(at, []int64{1, 3, 4}) {
		t.Errorf("read %v, want 1, and 3 and 4 of the new one", at)
	}
}

// full is a log whose disk has no room after so many writes.
type full struct {
	log
	left int
}

func (f *full) Write(entries []byte) error {
	if f.left--; f.left < 0 {
		return fmt.Errorf("write: %w", syscall.ENOSPC)
	}
	return f.log.Write(entries)
}

func TestFullDiskEndsTheJournal(t *testing.T) {
	dir := t.TempDir()
	o := Options{Dir: filepath.Join(dir, "w"), Size: defaultSize, Age: defaultAge, Now: time.Now}
	said := &told{}
	o.Tell = said.tell
	l, err := openLog(&o)
	if err != nil {
		t.Fatal(err)
	}
	j, err := start(o, &full{log: l})
	if err != nil {
		t.Fatal(err)
	}
	watched := 0
	stop := j.Watch(func(*Entry) { watched++ })
	j.Add(event(1, "x"))
	<-j.done
	for i := range 1000 {
		j.Add(event(i+2, "x"))
	}
	stop()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Count(said.all(), "The journal ends here") != 1 || !strings.Contains(said.all(), "no space left") {
		t.Errorf("told %q, want one line with the reason", said.all())
	}
	if at, _ := read(t, dir); len(at) != 0 || watched != 1001 || len(j.mu.pending) > 1000 {
		t.Errorf("read %v, watched %d, %d bytes wait", at, watched, len(j.mu.pending))
	}
}

// Size and age take whole segments from the front, and what is read goes on without a gap.
func TestSizeBounds(t *testing.T) {
	dir := t.TempDir()
	const limit = 256 << 10
	j, _ := open(t, Options{Dir: filepath.Join(dir, "w"), Size: limit})
	body := strings.Repeat("b", 1000)
	for i := 1; i <= 2000; i++ {
		j.Add(event(i, body))
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	segments, err := segmentsOf(filepath.Join(dir, "w"))
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, s := range segments {
		total += s.size
	}
	if total > limit+limit/8 || total < limit/2 {
		t.Errorf("%d bytes are kept, the limit is %d", total, limit)
	}
	at, said := read(t, dir)
	if len(at) < 100 || !reflect.DeepEqual(at, upTo(int(at[0]), 2000)) || said != "" {
		t.Errorf("read %d entries up to %d, told %q; want the last ones", len(at), at[len(at)-1], said)
	}
	// A day later nothing but the last two segments is young enough to be kept.
	j, _ = open(t, Options{Dir: filepath.Join(dir, "w"), Size: limit,
		Now: func() time.Time { return time.Now().Add(25 * time.Hour) }})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if segments, err = segmentsOf(filepath.Join(dir, "w")); err != nil || len(segments) > 2 {
		t.Errorf("%d segments are left: %v", len(segments), err)
	}
}

// counted is a log that knows how many writes have come back.
type counted struct {
	log
	written atomic.Int64
}

func (c *counted) Write(entries []byte) error {
	err := c.log.Write(entries)
	if err == nil {
		c.written.Store(int64(c.LastIndex()))
	}
	return err
}

// The child adds entries until it is killed, and says how many have been written: those are read afterwards.
func TestKill(t *testing.T) {
	if dir := os.Getenv("EDDY_JOURNAL_CHILD"); dir != "" {
		o := Options{Dir: filepath.Join(dir, "w"), Size: 64 << 20, Age: defaultAge, Now: time.Now,
			Tell: func(line string) { fmt.Println(line) }}
		l, err := openLog(&o)
		if err != nil {
			t.Fatal(err)
		}
		c := &counted{log: l}
		j, err := start(o, c)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; ; i++ {
			j.Add(event(i, strings.Repeat("k", i%700)))
			for i-int(c.written.Load()) > 1000 {
				runtime.Gosched() // what does not fit into the buffer would be missed
			}
			if i%100 == 0 {
				fmt.Println(c.written.Load())
			}
		}
	}
	for round := range 5 {
		dir := t.TempDir()
		child := exec.Command(os.Args[0], "-test.run=^TestKill$")
		child.Env = append(os.Environ(), "EDDY_JOURNAL_CHILD="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		said := 0
		for said < 1000*(round+1) {
			if _, err := fmt.Fscan(out, &said); err != nil {
				t.Fatal(err)
			}
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // it was killed
		at, damage := read(t, dir)
		if len(at) < said || at[0] != 1 || at[len(at)-1] != int64(len(at)) || damage != "" {
			t.Errorf("killed after %d: read %d entries, told %q", said, len(at), damage)
		}
		// What the kill cut off does not keep the next session from recording.
		j, _ := open(t, Options{Dir: filepath.Join(dir, "w")})
		j.Add(event(1_000_000_000, "after"))
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if at, _ := read(t, dir); at[len(at)-1] != 1_000_000_000 {
			t.Errorf("what was recorded after the kill is not read")
		}
	}
}

func TestNilRecordsNothing(t *testing.T) {
	var j *Journal
	j.Add(event(1, "x"))
	j.Watch(func(*Entry) { t.Error("something was recorded") })()
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
