package structured_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
)

// pointHost knows one platform class, functions as stubs where the context
// allows them, and one class that is refused with its own text.
type pointHost struct {
	proto *goja.Object
	stubs []*goja.Object
}

func (h *pointHost) Describe(obj *goja.Object, kind structured.DelegateKind, context any) (structured.HostObject,
	bool) {
	switch {
	case kind == structured.KindFunction && context == "rpc":
		return structured.HostObject{Tag: structured.TagRPCStub, Write: func(e *structured.Encoder) {
			h.stubs = append(h.stubs, obj)
			e.WriteUint32(uint32(len(h.stubs) - 1))
		}}, true
	case kind == structured.KindObject && obj.Prototype() == h.proto && obj.Get("refuse") != nil:
		return structured.HostObject{Refusal: "Point can only be serialized for RPC."}, true
	case kind == structured.KindObject && obj.Prototype() == h.proto && obj.Get("none") != nil:
		return structured.HostObject{Class: "Point"}, true
	case kind == structured.KindObject && obj.Prototype() == h.proto:
		return structured.HostObject{Tag: structured.TagHeaders, Write: func(e *structured.Encoder) {
			e.WriteString("point")
			e.WriteUint64(1 << 40)
			e.WriteValue(obj.Get("extra"))
		}}, true
	}
	return structured.HostObject{}, false
}

func (h *pointHost) Read(d *structured.Decoder, tag uint32) *goja.Object {
	switch tag {
	case structured.TagRPCStub:
		n := d.ReadUint32()
		if int(n) >= len(h.stubs) {
			d.Refuse("no such stub")
		}
		return h.stubs[n]
	case structured.TagHeaders:
		obj := d.Runtime().CreateObject(h.proto)
		_ = obj.Set("name", d.ReadString())
		_ = obj.Set("big", d.ReadUint64())
		_ = obj.Set("extra", d.ReadValue())
		return obj
	}
	return nil
}

func TestHostObjects(t *testing.T) {
	vm, c := newCodec(t)
	h := &pointHost{proto: vm.NewObject()}
	c.AddDelegate(h)
	_ = vm.Set("proto", h.proto)
	v := eval(t, vm,
		`(() => { const s = {s: 1}; const p = Object.assign(Object.create(proto), {extra: s}); return [p, p, s] })()`)
	out, err := c.Encode(v, structured.EncodeOptions{RefuseClassInstances: true})
	if err != nil {
		t.Fatal(err)
	}
	// The payload sits between the tag and the next element; p is object 1 and
	// its contents are numbered after it.
	want := "ff0f4103" + "5c04" + "05" + hex.EncodeToString([]byte("point")) + "808080808020" + "6f22017349027b01" +
		"5e01" + "5e02" + "240003"
	if got := hex.EncodeToString(out.Data); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	back, err := c.Decode(out.Data, structured.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_ = vm.Set("back", back)
	if !eval(t, vm, `back[0] === back[1] && back[0].extra === back[2] && back[0].name === "point" && back[0].big === `+
		`2**40 && back[2].s === 1`).ToBoolean() {
		t.Errorf("got %v", back)
	}
}

// Functions become stubs where the context says so (RPC9), and stay refused
// elsewhere.
func TestHostContext(t *testing.T) {
	vm, c := newCodec(t)
	c.AddDelegate(&pointHost{proto: vm.NewObject()})
	f := eval(t, vm, `{f() { return 1 }}`)
	v, err := c.Clone(f, nil, structured.EncodeOptions{Context: "rpc"})
	if err != nil {
		t.Fatal(err)
	}
	if v.(*goja.Object).Get("f") != f.(*goja.Object).Get("f") {
		t.Error("the stub is another function")
	}
	if _, text := refusal(t, c, f, structured.EncodeOptions{}); text != "f() { return 1 } could not be cloned." {
		t.Errorf("for storage: %q", text)
	}
}

func TestHostRefusals(t *testing.T) {
	vm, c := newCodec(t)
	h := &pointHost{proto: vm.NewObject()}
	c.AddDelegate(h)
	_ = vm.Set("proto", h.proto)
	for expr, want := range map[string]string{
		`Object.assign(Object.create(proto), {refuse: 1})`: "Point can only be serialized for RPC.",
		`Object.assign(Object.create(proto), {none: 1})`: `Could not serialize object of type "Point". This type ` +
			`does not support serialization.`,
	} {
		if name, text := refusal(t, c, eval(t, vm, expr), structured.EncodeOptions{}); name != "DataCloneError" ||
			text != want {
			t.Errorf("%s: %s: %s", expr, name, text)
		}
	}
	data, _ := hex.DecodeString("ff0f5c63")
	if _, err := c.Decode(data, structured.DecodeOptions{}); err == nil ||
		!strings.Contains(err.Error(), "unknown host object tag 99") {
		t.Errorf("unknown tag: %v", err)
	}
}

// A moved buffer leaves its owner detached, after the value was written
// (P-18); views move with their buffer.
func TestTransfer(t *testing.T) {
	vm, c := newCodec(t)
	eval(t, vm, `globalThis.u = new Uint8Array([1,2,3])`)
	v, err := c.Clone(
		eval(t, vm, `{u, get seen() { return u.byteLength }}`), []goja.Value{eval(t, vm, "u")},
		structured.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_ = vm.Set("v", v)
	if got := eval(t, vm,
		`[u.byteLength, v.seen, v.u.join(), v.u.buffer.byteLength].join(";")`).String(); got != "0;3;1,2,3;3" {
		t.Errorf("got %s", got)
	}
	if _, text := refusal(
		t, c, eval(t, vm, "u.buffer"), structured.EncodeOptions{}); text != "An ArrayBuffer is detached and could "+
		"not be cloned." {
		t.Errorf("detached: %q", text)
	}
	if _, text := refusal(
		t, c, goja.Null(), structured.EncodeOptions{Transfer: []goja.Value{eval(t, vm,
			"{}")}}); text != "Object is not transferable" {
		t.Errorf("not transferable: %q", text)
	}
}
