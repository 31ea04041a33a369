package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"eddy/runtime/bindings/kv"
)

// A time to live that has no end in this world is refused or far away, never in the past.
func TestBulkExpiration(t *testing.T) {
	key, value := "k", "v"
	for _, ttl := range []int64{60, 1e10, 1 << 62} {
		e, err := bulkPair{Key: &key, Value: &value, TTL: ttl}.entry(1)
		if err == nil && e.Expiration.Before(time.Now()) {
			t.Errorf("%d seconds from now is %v", ttl, e.Expiration)
		}
	}
}

// FuzzBulk: any file of the bulk commands is refused with its name, or gives entries that a namespace takes.
func FuzzBulk(f *testing.F) {
	for _, text := range []string{
		`[{"key":"a","value":"1"}]`,
		`[{"key":"a","value":"MQ==","base64":true,"expiration_ttl":60,"metadata":{"a":1}}]`,
		`[{"key":"a","value":"1","expiration":1e10}]`, `["a",{"name":"b"}]`, `[null]`, `{}`, `[{}]`, "", `[[[`,
		`[{"key":"` + "\u202e" + `","value":"","metadata":null}]`,
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "bulk.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if names, err := bulkNames(path); err == nil && names == nil {
			t.Fatal("no names and no error")
		}
		var pairs []bulkPair
		if readJSON(path, "pairs", &pairs) != nil {
			return
		}
		for i, p := range pairs {
			e, err := p.entry(i + 1)
			if err != nil {
				continue
			}
			if err := kv.Check(*p.Key, e); err != nil {
				t.Fatalf("entry %d: %v", i+1, err)
			}
			if (p.TTL > 0 || p.Expiration > 0) && e.Expiration.IsZero() {
				t.Fatalf("entry %d does not expire", i+1)
			}
		}
	})
}
