package storage_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
)

const objectID = "f179fe6d32fcf357d8179536dd4f72a9f6a6829d2006c8c342dcc12b5d6ce5d9"

func namespace(t testing.TB, o storage.Options) *storage.Namespace {
	t.Helper()
	ns, err := storage.OpenNamespace(filepath.Join(t.TempDir(), "v3", "do", "odo-SqlDO"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ns.Close(); err != nil {
			t.Error(err)
		}
	})
	return ns
}

func store(t testing.TB, o storage.Options) *storage.Store {
	return namespace(t, o).Store(objectID)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, s *storage.Store, keys ...string) {
	t.Helper()
	for _, k := range keys {
		must(t, s.Put(k, []byte("="+k)))
	}
}

// keys lists the keys of a range, space separated.
func keys(t testing.TB, s *storage.Store, o storage.ListOptions) string {
	t.Helper()
	entries, err := s.List(o)
	must(t, err)
	var out []string
	for _, e := range entries {
		if string(e.Value) != "="+e.Key {
			t.Errorf("%q has value %q", e.Key, e.Value)
		}
		out = append(out, e.Key)
	}
	return strings.Join(out, " ")
}

func TestKV(t *testing.T) {
	s := store(t, storage.Options{})
	if _, ok, err := s.Get("a"); ok || err != nil {
		t.Errorf("get from nothing: %v %v", ok, err)
	}
	if s.Exists() {
		t.Error("reading created the file")
	}
	put(t, s, "b", "a", "")
	must(t, s.Put("empty", nil))
	if v, ok, err := s.Get("empty"); !ok || len(v) != 0 || err != nil {
		t.Errorf("empty value: %v %v %v", v, ok, err)
	}
	if v, ok, err := s.Get(""); !ok || string(v) != "=" || err != nil {
		t.Errorf("empty key (KV3): %q %v %v", v, ok, err)
	}
	multi, err := s.GetMulti([]string{"b", "zz", "a", "b"})
	must(t, err)
	if got := fmt.Sprint(multi); got != "[{a [61 97]} {b [61 98]}]" {
		t.Errorf("GetMulti (KV3): %s", got)
	}
	for _, want := range []bool{true, false} {
		if got, err := s.Delete("a"); got != want || err != nil {
			t.Errorf("delete (KV6): %v %v", got, err)
		}
	}
	if n, err := s.DeleteMulti([]string{"b", "a", "empty", "b"}); n != 2 || err != nil {
		t.Errorf("delete many (KV6): %d %v", n, err)
	}
	must(t, s.Commit())
	if got := keys(t, s, storage.ListOptions{}); got != "" {
		t.Errorf("left: %q", got)
	}
}

func p(s string) *string { return &s }

// KV7: order by UTF-8 bytes; range, then reverse, then limit.
func TestList(t *testing.T) {
	s := store(t, storage.Options{})
	put(t, s, "\uFFFF", "\U0001F600", "B", "a", "10", "9", "ab", "b", "aa", "a\x00")
	for _, tc := range []struct {
		o    storage.ListOptions
		want string
	}{
		{storage.ListOptions{}, "10 9 B a a\x00 aa ab b \uFFFF \U0001F600"},
		{storage.ListOptions{Start: p("a"), End: p("b")}, "a a\x00 aa ab"},
		{storage.ListOptions{StartAfter: p("a"), End: p("b")}, "a\x00 aa ab"},
		{storage.ListOptions{Prefix: "a"}, "a a\x00 aa ab"},
		{storage.ListOptions{Prefix: "a", Start: p("aa")}, "aa ab"},
		{storage.ListOptions{Prefix: "a", End: p("ab")}, "a a\x00 aa"},
		{storage.ListOptions{Prefix: "\U0001F600"}, "\U0001F600"},
		{storage.ListOptions{Start: p("a"), End: p("b"), Reverse: true, Limit: 2}, "ab aa"},
		{storage.ListOptions{Reverse: true}, "\U0001F600 \uFFFF b ab aa a\x00 a B 9 10"},
		{storage.ListOptions{Limit: 3}, "10 9 B"},
		{storage.ListOptions{Start: p("b"), End: p("a")}, ""},
		{storage.ListOptions{Prefix: "zz"}, ""},
	} {
		if got := keys(t, s, tc.o); got != tc.want {
			t.Errorf("%+v\n got %q\nwant %q", tc.o, got, tc.want)
		}
		c, err := s.ListCursor(tc.o)
		must(t, err)
		var walked []string
		for {
			e, more, err := c.Next()
			must(t, err)
			if !more {
				break
			}
			walked = append(walked, e.Key)
		}
		if got := strings.Join(walked, " "); got != tc.want {
			t.Errorf("cursor %+v\n got %q\nwant %q", tc.o, got, tc.want)
		}
	}
}

// Keys that are no UTF-8 (lone surrogates as three bytes) keep their bytes.
func TestKeysKeepTheirBytes(t *testing.T) {
	s := store(t, storage.Options{})
	put(t, s, "\xed\xa0\x80x", "é\x00")
	if got := keys(t, s, storage.ListOptions{}); got != "é\x00 \xed\xa0\x80x" {
		t.Errorf("got %q", got)
	}
}

// KV14: one iterator at a time.
func TestListCursorInvalidated(t *testing.T) {
	s := store(t, storage.Options{})
	put(t, s, "a", "b", "c")
	first, err := s.ListCursor(storage.ListOptions{})
	must(t, err)
	if _, more, err := first.Next(); !more || err != nil {
		t.Fatal(more, err)
	}
	second, err := s.ListCursor(storage.ListOptions{})
	must(t, err)
	if _, _, err := first.Next(); !errors.Is(err, storage.ErrListInvalidated) {
		t.Errorf("first: %v", err)
	}
	if e, more, err := second.Next(); e.Key != "a" || !more || err != nil {
		t.Errorf("second: %v %v %v", e, more, err)
	}
}

// KV12: production's limits for KV-backed classes; KV11 for the others.
func TestKVLimits(t *testing.T) {
	s := store(t, storage.Options{Limits: storage.KVBackedLimits})
	long := strings.Repeat("k", 2049)
	many := slices.Repeat([]string{"k"}, 129)
	for want, err := range map[string]error{
		"Keys cannot be larger than 2048 bytes. A key of size 2049 was provided.": s.Put(long, nil),
		"Values cannot be larger than 131072 bytes. A value of size 131073 was provided.": s.Put("k",
			make([]byte, 131_073)),
		"Maximum number of keys is 128.":  second(s.GetMulti(many)),
		"Maximum number of pairs is 128.": s.PutMulti(make([]storage.Pair, 129)),
	} {
		var limit *storage.LimitError
		if !errors.As(err, &limit) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := s.DeleteMulti(many); err == nil {
		t.Error("129 keys were deleted")
	}
	if _, _, err := s.Get(long); err == nil {
		t.Error("a key of 2049 bytes was read")
	}
	must(t, s.Put(long[:2048], make([]byte, 131_072)))

	free := store(t, storage.Options{})
	put(t, free, strings.Repeat("k", 3000))
	err := free.PutMulti([]storage.Pair{{Key: "x", Value: []byte("1")}, {Key: "big", Value: make([]byte, 2_200_001)}})
	if !sqlite.TooBig(err) || err.Error() != "string or blob too big: SQLITE_TOOBIG" {
		t.Errorf("too big: %v", err)
	}
	if _, ok, _ := free.Get("x"); ok {
		t.Error("a failed PutMulti left a part (KV11)")
	}
	must(t, free.Commit())
}

func second[T any](_ T, err error) error { return err }

// KV17: the bytes in the file are the ones that were put.
func TestSchemaOnDisk(t *testing.T) {
	s := store(t, storage.Options{NameTable: true})
	s.SetName("a")
	must(t, s.Put("k", []byte{0xFF, 0x0F, 0x49, 0x02}))
	must(t, s.Commit())
	db, err := sqlite.Open(s.Path(), sqlite.Options{ReadOnly: true})
	must(t, err)
	defer db.Close()
	q, _, err := db.Prepare("SELECT (SELECT hex(value) FROM _cf_KV WHERE key = 'k'), (SELECT name FROM "+
		"__miniflare_do_name), (SELECT * FROM pragma_page_size), (SELECT wr FROM pragma_table_list WHERE name = "+
		"'_cf_KV')", sqlite.Trusted)
	must(t, err)
	if _, err := q.Step(); err != nil || q.Text(0) != "FF0F4902" || q.Text(1) != "a" || q.Int(2) != 4096 ||
		q.Int(3) != 1 {
		t.Errorf("got %q %q %d without rowid %d, %v", q.Text(0), q.Text(1), q.Int(2), q.Int(3), err)
	}
}
