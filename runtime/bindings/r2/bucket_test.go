package r2

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/statedir"
)

func open(t testing.TB, dir string, c clock.Clock) *Bucket {
	t.Helper()
	b := New(Options{State: statedir.Dir(dir), Name: "things", Clock: c, Relaxed: true})
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func stopped() *clock.Virtual {
	c := clock.NewVirtual(time.Unix(1_775_000_000, 0), 1)
	c.Pause()
	return c
}

func read(t testing.TB, b *Bucket, key string, r *RangeOption) (string, bool) {
	t.Helper()
	o, body, err := b.Get(key, nil, r)
	if err != nil {
		t.Fatal(err)
	}
	if o == nil {
		return "", false
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil || int64(len(text)) != o.Range.Length {
		t.Fatalf("read %d bytes of %d: %v", len(text), o.Range.Length, err)
	}
	return string(text), true
}

// Random calls against a map, with restarts. In the end every file on disk belongs to a key.
func TestAgainstModel(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir, c := t.TempDir(), stopped()
	b := open(t, dir, c)
	model := map[string]string{}
	files := 0
	for i := range 600 {
		key := fmt.Sprintf("%c/%c/%d", 'a'+random.IntN(2), 'x'+random.IntN(2), random.IntN(6))
		switch n := random.IntN(100); {
		case n < 35:
			if _, err := b.Put(key, []byte(fmt.Sprint("v", i)), PutOptions{}); err != nil {
				t.Fatal(err)
			}
			model[key] = fmt.Sprint("v", i)
		case n < 40:
			id, err := b.CreateUpload(key, PutOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := b.UploadPart(key, id, 1, []byte(fmt.Sprint("p", i)))
			if err != nil {
				t.Fatal(err)
			}
			if random.IntN(3) == 0 {
				if err := b.Abort(key, id); err != nil {
					t.Fatal(err)
				}
				break
			}
			if _, err := b.Complete(key, id, []Part{p}); err != nil {
				t.Fatal(err)
			}
			model[key] = fmt.Sprint("p", i)
		case n < 65:
			got, ok := read(t, b, key, nil)
			if want, wantOK := model[key]; got != want || ok != wantOK {
				t.Fatalf("step %d: %s is %q, want %q", i, key, got, want)
			}
		case n < 75:
			if err := b.Delete([]string{key, "never"}); err != nil {
				t.Fatal(err)
			}
			delete(model, key)
		case n < 77:
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			b = open(t, dir, c)
		default:
			compareLists(t, b, model, random)
		}
	}
	for range model {
		files++
	}
	left, err := os.ReadDir(statedir.Dir(dir).Blobs("r2", "things"))
	if err != nil || len(left) != files {
		t.Errorf("%d files for %d keys (%v)", len(left), files, err)
	}
}

// compareLists lists page by page, with and without delimiter.
func compareLists(t *testing.T, b *Bucket, model map[string]string, random *rand.Rand) {
	t.Helper()
	prefix, delimiter, limit := []string{"", "a/", "b/x", "a/x/"}[random.IntN(4)], []string{"", "/"}[random.IntN(2)],
		1+random.IntN(5)
	var want, got []string
	for k := range model {
		if !strings.HasPrefix(k, prefix) {
			continue
		}
		if i := strings.Index(k[len(prefix):], "/"); delimiter != "" && i >= 0 {
			k = k[:len(prefix)+i+1]
		}
		want = append(want, k)
	}
	slices.Sort(want)
	want = slices.Compact(want)
	for o := (ListOptions{Prefix: prefix, Delimiter: delimiter, Limit: &limit}); ; {
		l, err := b.List(o)
		if err != nil || len(l.Objects)+len(l.Prefixes) > limit {
			t.Fatal(l, err)
		}
		for _, x := range l.Objects {
			got = append(got, x.Key)
		}
		got = append(got, l.Prefixes...)
		if !l.Truncated {
			break
		}
		o.Cursor = l.Cursor
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("list of %q by %q: %v, want %v", prefix, delimiter, got, want)
	}
}

// A value is read to its end although the key is overwritten meanwhile.
func TestReadWhileOverwritten(t *testing.T) {
	b := open(t, t.TempDir(), stopped())
	if _, err := b.Put("k", []byte("old"), PutOptions{}); err != nil {
		t.Fatal(err)
	}
	_, body, err := b.Get("k", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if _, err := b.Put("k", []byte("new"), PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(body); err != nil || string(text) != "old" {
		t.Errorf("read %q, %v", text, err)
	}
	if text, _ := read(t, b, "k", nil); text != "new" {
		t.Errorf("the key holds %q", text)
	}
}

// A range over several parts reads just those bytes; parts are joined in the order of their numbers.
func TestRangeOverParts(t *testing.T) {
	b := open(t, t.TempDir(), stopped())
	id, err := b.CreateUpload("k", PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var parts []Part
	for _, p := range []struct {
		number int
		data   []byte
	}{{3, []byte("end")}, {1, bytes.Repeat([]byte("a"), minPart)}, {2, bytes.Repeat([]byte("b"), minPart)}} {
		x, err := b.UploadPart("k", id, p.number, p.data)
		if err != nil {
			t.Fatal(err)
		}
		parts = append([]Part{x}, parts...)
	}
	slices.SortFunc(parts, func(x, y Part) int { return x.Number - y.Number })
	if _, err := b.Complete("k", id, parts); err != nil {
		t.Fatal(err)
	}
	at := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		r    RangeOption
		want string
	}{
		{RangeOption{Offset: at(minPart - 1), Length: at(2)}, "ab"},
		{RangeOption{Suffix: at(4)}, "bend"},
		{RangeOption{Offset: at(2*minPart + 1)}, "nd"},
		{RangeOption{Length: at(1)}, "a"},
	} {
		if got, _ := read(t, b, "k", &c.r); got != c.want {
			t.Errorf("range %+v is %q, want %q", c.r, got, c.want)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	bucket := open(b, b.TempDir(), stopped())
	if _, err := bucket.Put("k", make([]byte, 1000), PutOptions{}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		read(b, bucket, "k", nil)
	}
}
