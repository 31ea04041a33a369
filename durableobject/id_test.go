package durableobject

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"testing"
)

// ID2, ID4: the vectors seen on the reference.
func TestIDFromNameVectors(t *testing.T) {
	for _, c := range []struct{ key, name, want string }{
		{"odo-SqlDO", "a", "f179fe6d32fcf357d8179536dd4f72a9f6a6829d2006c8c342dcc12b5d6ce5d9"},
		{"odo-SqlDO", "", "fa00a7ebc06322758dec7e420739d35effb825a1431bc6b8761980f56fa1cb1f"},
		{"odo-SqlDO", "é😀", "2a4d7c924aa17bcca3d4eb36a11f4e4e96e8c90abccaaf6e0b5ef76c31a36645"},
		{"odo-SqlDO", "undefined", "4d3332bc9f2ec7b914fb2807a0c5dcb4e0aecea74c8a656fbfdfc0be79ce9ae4"},
		{"odo-SqlDO", "\xed\xa0\x80x", "00184b8d9535312caa21970b1618546c03190ac871cfe744ec9bc530e0c3bcc8"},
		{"odo-KvDO", "a", "3c982ea93b96067a208d5f6b03a3b41b7aee64c4ee00a6fe46dbde1efe762c1a"},
		{"oe-A", "a", "72c1a51f73f89e09f0c4b56e4db00d32db0ab8c4343dd5eea2e8669c8fedb900"},
		{"other-Ext", "a", "dbb19d40db322b3be0e49aaa4c76b8ea4bc01738dd36061ffb8dc7e02ed55b43"},
	} {
		if got := IDFromName(c.key, c.name).String(); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.key, c.name, got, c.want)
		}
	}
}

// ID2: the library's HMAC agrees, for names of every length around the sizes of buffers.
func TestIDFromNameAgrees(t *testing.T) {
	key := sha256.Sum256([]byte("ns"))
	for n := range 400 {
		name := strings.Repeat("é", n)
		mac := hmac.New(sha256.New, key[:])
		mac.Write([]byte(name))
		if id := IDFromName("ns", name); !bytes.Equal(id[:16], mac.Sum(nil)[:16]) {
			t.Fatalf("a name of %d bytes: %s", len(name), id)
		} else if parsed, err := ParseID("ns", id.String()); err != nil || parsed != id {
			t.Fatalf("a name of %d bytes: %v", len(name), err)
		}
	}
}

// ID6, ID7.
func TestParseID(t *testing.T) {
	id, err := NewUniqueID("ns", bytes.NewReader(make([]byte, 16)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseID("ns", strings.ToUpper(id.String())); err != nil || got != id {
		t.Errorf("upper case: %v %v", got, err)
	}
	for _, c := range []struct {
		s    string
		want error
	}{{"abc", ErrIDFormat}, {strings.Repeat("zz", 32), ErrIDFormat}, {strings.Repeat("00", 32), ErrIDNamespace}} {
		if _, err := ParseID("ns", c.s); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.s, err)
		}
	}
	if _, err := ParseID("other", id.String()); !errors.Is(err, ErrIDNamespace) {
		t.Errorf("another namespace: %v", err)
	}
}

// Goroutines share the sums of a namespace, and namespaces share none.
func TestIDsAtOnce(t *testing.T) {
	want := map[string]ID{}
	for _, key := range []string{"first", "second"} {
		for _, name := range []string{"", "a", strings.Repeat("long", 100)} {
			want[key+" "+name] = IDFromName(key, name)
		}
	}
	if want["first a"] == want["second a"] {
		t.Error("two namespaces give a name one id")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for which, id := range want {
				key, name, _ := strings.Cut(which, " ")
				for range 100 {
					if got := IDFromName(key, name); got != id {
						t.Errorf("%s: %s, then %s", which, id, got)
					}
					if got, err := ParseID(key, id.String()); err != nil || got != id {
						t.Errorf("%s: %s is read as %s, %v", which, id, got, err)
					}
				}
			}
		})
	}
	all.Wait()
}
