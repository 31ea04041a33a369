package caches

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func cacheEntry(body string) *StoredResponse {
	return &StoredResponse{
		Status: 203, StatusText: "Well", Header: http.Header{"A": {"b", "c"}, "Cache-Control": {"max-age=5"}},
		Body:    []byte(body),
		Expires: time.UnixMilli(1_800_000_000_123),
	}
}

// Both stores keep, replace, tell apart and delete entries.
func TestStores(t *testing.T) {
	for name, s := range map[string]Store{"memory": &Memory{}, "disk": NewDisk(filepath.Join(t.TempDir(), "c"), 0)} {
		t.Run(name, func(t *testing.T) {
			get := func(cache, key string) string {
				t.Helper()
				e, err := s.Get(cache, key)
				if err != nil {
					t.Fatal(err)
				}
				if e == nil {
					return "none"
				}
				return string(e.Body)
			}
			had := func(cache, key string) bool {
				t.Helper()
				ok, err := s.Delete(cache, key)
				if err != nil {
					t.Fatal(err)
				}
				return ok
			}
			if got := get("", "http://a/"); got != "none" || had("", "http://a/") {
				t.Error(got)
			}
			for _, p := range [][3]string{
				{"", "http://a/", "one"}, {"", "http://a/", "two"}, {"named", "http://a/", "three"},
				{"", "http://a/b", ""}} {
				if err := s.Put(p[0], p[1], cacheEntry(p[2])); err != nil {
					t.Fatal(err)
				}
			}
			if a, b, c := get("", "http://a/"), get("named", "http://a/"),
				get("", "http://a/b"); a != "two" || b != "three" || c != "" {
				t.Error(a, b, c)
			}
			e, _ := s.Get("", "http://a/")
			if e.Status != 203 || e.StatusText != "Well" || strings.Join(e.Header["A"], "") != "bc" ||
				!e.Expires.Equal(time.UnixMilli(1_800_000_000_123)) {
				t.Errorf("%+v", e)
			}
			if !had("", "http://a/") || had("", "http://a/") || get("named", "http://a/") != "three" {
				t.Error("deleting")
			}
		})
	}
}

// Entries outlive the store; files that are no entries are harmless and go.
func TestDiskLasts(t *testing.T) {
	dir := t.TempDir()
	d := NewDisk(dir, 0)
	for _, key := range []string{"whole", "torn", "flipped", "other"} {
		if err := d.Put("", key, cacheEntry(key)); err != nil {
			t.Fatal(err)
		}
	}
	path := func(key string) string { return filepath.Join(dir, d.name("", key)) }
	change := func(key string, f func(b []byte) []byte) {
		b, err := os.ReadFile(path(key))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(key), f(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("torn", func(b []byte) []byte { return b[:len(b)-3] })
	change("flipped", func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	if err := os.Rename(path("other"), path("moved")); err != nil {
		t.Fatal(err)
	}
	again := NewDisk(dir, 0)
	if e, err := again.Get("", "whole"); err != nil || e == nil || string(e.Body) != "whole" {
		t.Error(e, err)
	}
	for _, key := range []string{"torn", "flipped", "moved"} {
		if e, err := again.Get("", key); e != nil || err != nil {
			t.Error(key, e, err)
		}
		if _, err := os.Stat(path(key)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", key, err)
		}
	}
}

// The limit holds for what was there before, too; what was used last stays.
func TestDiskIsBounded(t *testing.T) {
	dir := t.TempDir()
	body := strings.Repeat("x", 1000)
	first := NewDisk(dir, 0)
	one, err := encodeCacheFile("", "a", cacheEntry(body))
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"a", "b", "c"} {
		if err := first.Put("", key, cacheEntry(body)); err != nil {
			t.Fatal(err)
		}
		then := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(filepath.Join(dir, first.name("", key)), then, then); err != nil {
			t.Fatal(err)
		}
	}
	d := NewDisk(dir, int64(3*len(one)))
	if _, err := d.Get("", "a"); err != nil {
		t.Fatal(err)
	}
	if err := d.Put("", "d", cacheEntry(body)); err != nil {
		t.Fatal(err)
	}
	if err := d.Put("", "huge", cacheEntry(strings.Repeat("x", 5000))); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, key := range []string{"a", "b", "c", "d", "huge"} {
		if e, err := d.Get("", key); err != nil {
			t.Fatal(err)
		} else if e != nil {
			got += key
		}
	}
	if got != "acd" {
		t.Error(got)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Error(files, err)
	}
}

func FuzzCacheFile(f *testing.F) {
	b, err := encodeCacheFile("cache", "key", cacheEntry("body"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(cacheMagic + "\xff\xff\xff\xff{}\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		cache, key, e, err := decodeCacheFile(b)
		if err != nil {
			return
		}
		again, err := encodeCacheFile(cache, key, e)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, e2, err := decodeCacheFile(again); err != nil || !bytes.Equal(e.Body, e2.Body) {
			t.Error("an entry does not survive", err)
		}
	})
}
