package objectjs

import (
	"github.com/dop251/goja"

	"eddy/durableobject/storage"
	"eddy/runtime/engine/structured"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
)

// snapshot is the state of a DurableObjectSnapshot: what an object held (BIND-171). It crosses RPC and is never stored.
type snapshot struct{ file string }

// Cross implements [rpc.Passenger].
func (s *snapshot) Cross(forRPC bool) structured.HostObject {
	if !forRPC {
		return structured.HostObject{Refusal: "DurableObjectSnapshots cannot be cloned or stored. They can only be " +
			"transferred over RPC."}
	}
	return structured.HostObject{Tag: structured.TagObjectSnapshot, Write: func(e *structured.Encoder) {
		e.WriteString(s.file)
	}}
}

// snapshotReader makes snapshots of what has crossed.
type snapshotReader struct{ k *kit }

// Describe implements [structured.Delegate]: package rpc asks the snapshot itself.
func (snapshotReader) Describe(*goja.Object, structured.DelegateKind, any) (structured.HostObject, bool) {
	return structured.HostObject{}, false
}

// Read implements [structured.Delegate].
func (r snapshotReader) Read(d *structured.Decoder, tag uint32) *goja.Object {
	if tag != structured.TagObjectSnapshot {
		return nil
	}
	if !rpc.FromRPC(d.Context()) {
		d.Refuse("DurableObjectSnapshots cannot be cloned or stored. They can only be transferred over RPC.")
	}
	return r.k.snapshot.Wrap(&snapshot{file: d.ReadString()})
}

// snapshotMembers are storage.snapshot() and storage.onNextSessionRestore(), which the flag durable_object_snapshots
// brings.
func (k *kit) snapshotMembers() []webidl.Member {
	if !k.iso.Flags.Enabled("durable_object_snapshots") && !k.iso.Flags.Enabled("experimental") {
		return nil
	}
	k.snapshot = k.iso.Realm.Define(webidl.Spec{Name: "DurableObjectSnapshot"})
	k.iso.Codec().AddDelegate(snapshotReader{k})
	return []webidl.Member{
		webidl.Async("snapshot", func(a *area, c *webidl.Call) goja.Value {
			bookmark := ""
			if o := c.Object(0, "SnapshotOptions"); o != nil {
				if v := webidl.Option(o, "bookmark"); v != nil && !goja.IsUndefined(v) {
					bookmark = webidl.ToString(v)
				}
			}
			s := a.whole("snapshot")
			if !a.i.h.ns.sql() {
				a.fail(storage.ErrNoSnapshots)
			}
			take := func() (string, error) { return s.Snapshot(bookmark) }
			return a.i.afterCommitAs(take, func(file string) goja.Value { return k.snapshot.Wrap(&snapshot{file}) })
		}),
		webidl.Async("onNextSessionRestore", func(a *area, c *webidl.Call) goja.Value {
			snap, _ := webidl.StateOf[*snapshot](k.iso.Realm, c.Arg(0))
			if _, isObject := c.Arg(0).(*goja.Object); snap == nil && (isObject || c.Missing(0)) {
				c.ThrowNotOfType(0, "DurableObjectSnapshot or string")
			}
			put := k.restorePut(c.Object(1, "RestoreOptions"))
			s := a.whole("onNextSessionRestore")
			if !a.i.h.ns.sql() {
				a.fail(storage.ErrNoPointInTimeRecovery)
			}
			if snap != nil {
				return a.i.afterCommit(func() (string, error) { return s.RestoreSnapshot(snap.file, put) })
			}
			bookmark := c.String(0)
			return a.i.afterCommit(func() (string, error) { return s.RestorePut(bookmark, put) })
		}),
	}
}

// restorePut is the option kvData: what is put into the restored storage.
func (k *kit) restorePut(o *goja.Object) []storage.Pair {
	data, ok := webidl.Option(o, "kvData").(*goja.Object)
	if o == nil || !ok {
		return nil
	}
	var put []storage.Pair
	for _, name := range data.Keys() {
		put = append(put, storage.Pair{Key: bytesOf(k.iso.Runtime().ToValue(name)), Value: k.encode(data.Get(name))})
	}
	return put
}

// whole is the store of an object; a facet has no snapshots of its own.
func (a *area) whole(op string) *storage.Store {
	s := a.check(op)
	if a.i.h.parent != nil {
		a.i.h.iso.Realm.ThrowError("Error", "storage.%s() is not available in a facet. Snapshots and restores apply "+
			"to the whole Durable Object, so only the root Durable Object can use them.", op)
	}
	return s
}
