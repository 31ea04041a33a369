package engine_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"eddy/runtime/cluster/engine"
)

// FuzzUnseal: bytes of a database never crash a node, and what unseals is what was sealed.
func FuzzUnseal(f *testing.F) {
	value := engine.Value{Data: []byte("v"), Number: 1, After: 2}
	f.Add([]byte("k"), engine.Seal(3, engine.Put{Key: "k", Value: value}))
	f.Add([]byte(""), []byte{1})
	f.Add([]byte("k"), engine.Seal(3, engine.Put{Key: "k", Value: engine.Value{Data: make([]byte, 5000), Number: 1}}))
	f.Fuzz(func(t *testing.T, key, b []byte) {
		v, err := engine.Unseal(3, engine.Key(key), b)
		var d *engine.DamageError
		if err != nil && !errors.As(err, &d) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		again, err := engine.Unseal(3, engine.Key(key), engine.Seal(3, engine.Put{Key: engine.Key(key), Value: v}))
		if err != nil || !bytes.Equal(again.Data, v.Data) || again.Number != v.Number || again.After != v.After {
			t.Fatalf("%x: %v", b, err)
		}
	})
}

// What compresses takes little room, what does not is as it is, and both come back.
func TestSealDeflates(t *testing.T) {
	page := append(bytes.Repeat([]byte("page "), 800), "end"...)
	noise := make([]byte, 4096)
	rand.NewChaCha8([32]byte{}).Read(noise)
	for _, c := range []struct {
		data []byte
		most int
	}{{page, 200}, {noise, 4200}, {[]byte("short"), 40}, {nil, 40}} {
		b := engine.Seal(3, engine.Put{Key: "k", Value: engine.Value{Data: c.data, Number: 1}})
		v, err := engine.Unseal(3, "k", b)
		if err != nil || !bytes.Equal(v.Data, c.data) || len(b) > c.most {
			t.Errorf("%d bytes are sealed as %d: %v", len(c.data), len(b), err)
		}
	}
}

func TestNodeName(t *testing.T) {
	for name, good := range map[string]bool{"a": true, "Node-1_x.y": true, "": false, "a/b": false, "ä": false,
		string(make([]byte, 64)): false} {
		if err := engine.CheckName(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
	if n := engine.NewNodeID("one"); n.Name() != "one" || n == engine.NewNodeID("one") {
		t.Errorf("%s", n)
	}
}
