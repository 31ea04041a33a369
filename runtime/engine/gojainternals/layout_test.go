package gojainternals

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

func object(t testing.TB, rt *goja.Runtime, source string) *goja.Object {
	t.Helper()
	v, err := rt.RunString(source)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*goja.Object)
}

// set makes a Go function a global.
func set(t testing.TB, rt *goja.Runtime, name string, f any) {
	t.Helper()
	if err := rt.Set(name, f); err != nil {
		t.Fatal(err)
	}
}

// Another goja is refused, and the error names the field that differs.
func TestFieldsAreChecked(t *testing.T) {
	type inner struct{ a, b int }
	type probe struct {
		x int
		inner
		*strings.Reader
	}
	typ := reflect.TypeOf(probe{x: 1, inner: inner{a: 1, b: 2}})
	for _, c := range []struct {
		name string
		want reflect.Type
		err  string
	}{
		{"x", reflect.TypeFor[int](), ""},
		{"b", nil, ""},
		{"y", nil, "gojainternals: goja's gojainternals.probe has no field y"},
		{"x", reflect.TypeFor[string](), "gojainternals: goja's gojainternals.probe.x is a int, expected string"},
		{"i", nil, "gojainternals: goja's gojainternals.probe.i is behind a pointer"},
	} {
		r := &reader{}
		offset, _ := r.field(typ, c.name, c.want)
		switch {
		case c.err == "" && r.err != nil, c.err != "" && (r.err == nil || r.err.Error() != c.err):
			t.Errorf("%s: %v, expected %q", c.name, r.err, c.err)
		case c.name == "b" && offset != typ.Field(1).Offset+typ.Field(1).Type.Field(1).Offset:
			t.Errorf("b is at %d", offset)
		}
	}
}

// A method table is refused when a method is missing or has another form.
func TestMethodTableIsChecked(t *testing.T) {
	l := layout(t)
	for _, ours := range []map[string]any{
		{"missing": func(*[]byte) {}},
		{"get": func(*[]byte, int) int { return 0 }},
		{"get": func(*[]byte) goja.Value { return nil }},
	} {
		tab := reflect.ValueOf(&l.half).Elem().Index(0).Addr().UnsafePointer()
		if _, err := methodTable(l.views.storeType, l.views.storeOfProbe, tab, ours); err == nil {
			t.Errorf("%v was taken", ours)
		}
	}
}

func TestExportTypes(t *testing.T) {
	rt := goja.New()
	for source, want := range map[string]reflect.Type{
		"new Proxy({}, {})": ProxyType, "new Proxy(function () {}, {})": ProxyType, "(async () => {})()": PromiseType,
		"new ArrayBuffer(1)": ArrayBufferType,
	} {
		if got := object(t, rt, source).ExportType(); got != want {
			t.Errorf("%s is a %s", source, got)
		}
	}
}
