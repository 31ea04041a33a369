package kv

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"eddy/runtime/clock"
)

func open(t testing.TB, dir string, c clock.Clock) *Store {
	t.Helper()
	s := New(Options{Index: filepath.Join(dir, "index.sqlite"), Values: filepath.Join(dir, "blobs"), Clock: c})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func stopped() *clock.Virtual {
	c := clock.NewVirtual(time.Unix(1_775_000_000, 0), 1)
	c.Pause()
	return c
}

// Random calls against a map, with restarts and time that passes.
func TestAgainstModel(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir, c := t.TempDir(), stopped()
	s := open(t, dir, c)
	model := map[string]StoredValue{}
	alive := func(k string) (StoredValue, bool) {
		e, ok := model[k]
		return e, ok && (e.Expiration.IsZero() || e.Expiration.After(c.Now()))
	}
	for i := range 500 {
		key := fmt.Sprintf("k%d", random.IntN(40))
		switch n := random.IntN(100); {
		case n < 40:
			e := StoredValue{Value: []byte(fmt.Sprint("v", i))}
			if random.IntN(3) == 0 {
				e.Expiration = time.Unix(c.Now().Unix()+60+int64(random.IntN(600)), 0)
			}
			if random.IntN(3) == 0 {
				e.Metadata = `{"a":1}`
			}
			if err := s.Put(key, e); err != nil {
				t.Fatal(err)
			}
			model[key] = e
		case n < 75:
			e, ok, err := s.Get(key)
			want, wantOK := alive(key)
			if err != nil || ok != wantOK || ok &&
				(string(e.Value) != string(want.Value) || e.Metadata != want.Metadata ||
					!e.Expiration.Equal(want.Expiration)) {
				t.Fatalf("step %d: Get(%s) = %+v, %v, %v; want %+v, %v", i, key, e, ok, err, want, wantOK)
			}
		case n < 85:
			if err := s.Delete(key); err != nil {
				t.Fatal(err)
			}
			delete(model, key)
		case n < 90:
			c.Advance(t.Context(), time.Duration(random.IntN(120))*time.Second)
		case n < 91:
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, c)
		default:
			prefix, limit := fmt.Sprintf("k%d", random.IntN(4)), 1+random.IntN(5)
			var want, got []string
			for k := range model {
				if _, ok := alive(k); ok && strings.HasPrefix(k, prefix) {
					want = append(want, k)
				}
			}
			slices.Sort(want)
			for cursor := ""; ; {
				p, err := s.List(prefix, cursor, limit)
				if err != nil || len(p.Keys) > limit {
					t.Fatal(p, err)
				}
				for _, k := range p.Keys {
					got = append(got, k.Name)
				}
				if cursor = p.Cursor; cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("step %d: List(%s) = %v, want %v", i, prefix, got, want)
			}
		}
	}
	// Every file belongs to a key; what has expired goes with the next put.
	if err := s.Put("last", StoredValue{}); err != nil {
		t.Fatal(err)
	}
	keys := 1
	for k := range model {
		if _, ok := alive(k); ok {
			keys++
		}
	}
	if files, err := os.ReadDir(filepath.Join(dir, "blobs")); err != nil || len(files) != keys {
		t.Errorf("%d files for %d keys (%v)", len(files), keys, err)
	}
}

// A value whose file is gone is an error that names the key, and no other key suffers.
func TestLostValue(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, stopped())
	if err := errors.Join(s.Put("a", StoredValue{Value: []byte("1")}),
		s.Put("b", StoredValue{Value: []byte("2")})); err != nil {
		t.Fatal(err)
	}
	value, _, _, err := s.find("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "blobs", value)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Get("a"); err == nil || !strings.Contains(err.Error(), `KV value of "a"`) {
		t.Errorf("error %v", err)
	}
	if e, ok, err := s.Get("b"); err != nil || !ok || string(e.Value) != "2" {
		t.Errorf("b is %s, %v, %v", e.Value, ok, err)
	}
	if err := s.Delete("a"); err != nil {
		t.Errorf("deleting: %v", err)
	}
}

func BenchmarkGet(b *testing.B) {
	s := open(b, b.TempDir(), stopped())
	if err := s.Put("a", StoredValue{Value: []byte("1")}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := s.Get("a"); err != nil || !ok {
			b.Fatal(ok, err)
		}
	}
}

// An entry that is to go at the end of time stays, and is listed with a time that is far away.
func TestExpirationBeyondTime(t *testing.T) {
	s := open(t, t.TempDir(), stopped())
	for i, at := range []int64{lastSecond, lastSecond + 1, 1 << 62, 1<<63 - 1} {
		key := fmt.Sprint("k", i)
		if err := s.Put(key, StoredValue{Value: []byte("v"), Expiration: time.Unix(at, 0)}); err != nil {
			t.Fatal(err)
		}
		e, ok, err := s.Get(key)
		if err != nil || !ok || e.Expiration.Unix() != lastSecond {
			t.Errorf("%d: %v %v %v", at, e.Expiration.Unix(), ok, err)
		}
	}
}
