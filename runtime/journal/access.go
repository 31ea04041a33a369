package journal

import "bytes"

// An Access is one read or write of a binding or of an object's storage. The journal keeps them under --journal=full
// only.
type Access struct {
	// Store is "kv", "r2", "d1" or "storage", which is an object's.
	Store string `cbor:"1,keyasint"`
	// Binding is its name in env; "" for storage.
	Binding string `cbor:"2,keyasint,omitempty"`
	// Op is the method: get, put, delete, list, exec, setAlarm.
	Op string `cbor:"3,keyasint"`
	// Key is the key, or the statement of D1 and of sql.
	Key string `cbor:"4,keyasint,omitempty"`
	// Write says that the method changes what is stored.
	Write bool `cbor:"5,keyasint,omitempty"`
	// Value is what was written, or what was read if Write is not set: bytes of KV and R2, JSON of the others.
	// ValueCut says that there was more than is kept; Missing, that nothing was there.
	Value    []byte `cbor:"6,keyasint,omitempty"`
	ValueCut bool   `cbor:"7,keyasint,omitempty"`
	Missing  bool   `cbor:"8,keyasint,omitempty"`
	// Options are those of the call, and the parameters of a statement, as JSON.
	Options string `cbor:"9,keyasint,omitempty"`
	Error   string `cbor:"10,keyasint,omitempty"`
	At      int64  `cbor:"11,keyasint"` // microseconds since 1970
}

// AddAccess adds a use of a binding to the entry, if there is room. The entry may be nil.
func (e *Entry) AddAccess(a Access) {
	if e == nil {
		return
	}
	if len(a.Value) > bodyRoom {
		a.Value, a.ValueCut = a.Value[:bodyRoom], true
	}
	a.Value = bytes.Clone(a.Value) // a script may get what was read, and change it
	e.noted += len(a.Key) + len(a.Value) + len(a.Options) + 64
	if e.Cut = e.Cut || e.noted > room; !e.Cut {
		e.Accesses = append(e.Accesses, a)
	}
}
