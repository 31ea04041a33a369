package engine_test

import (
	"bytes"
	"errors"
	"testing"

	"eddy/runtime/cluster/engine"
)

// FuzzUnseal: bytes of a database never crash a node, and what unseals is what was sealed.
func FuzzUnseal(f *testing.F) {
	value := engine.Value{Data: []byte("v"), Number: 1, After: 2}
	f.Add([]byte("k"), engine.Seal(3, engine.Put{Key: "k", Value: value}))
	f.Add([]byte(""), []byte{1})
	f.Fuzz(func(t *testing.T, key, b []byte) {
		v, err := engine.Unseal(3, engine.Key(key), b)
		var d *engine.DamageError
		if err != nil && !errors.As(err, &d) {
			t.Fatal(err)
		}
		if err == nil && !bytes.Equal(b, engine.Seal(3, engine.Put{Key: engine.Key(key), Value: v})) {
			t.Fatalf("%x was not sealed", b)
		}
	})
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
