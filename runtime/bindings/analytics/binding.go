package analytics

import (
	"fmt"
	"strconv"

	"github.com/dop251/goja"

	"eddy/runtime/bindings/analytics/dialect"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/worker"
)

// The limits of a data point, as workerd and the documentation have them.
const (
	maxIndexes   = 1
	maxIndexSize = 96     // bytes
	maxBlobsSize = 16_384 // bytes, of all blobs of a point
	maxPoints    = 250    // of an invocation
	prefix       = "writeDataPoint(): "
)

// Binding is an Analytics Engine binding: env[Key].
type Binding struct {
	Key, Dataset string
	Store        *Store
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// dataset is the state of a dataset. Loop goroutine.
type dataset struct {
	Binding
	iso *worker.Isolate
	// points counts those of each invocation.
	points map[*eventloop.Scope]int
}

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	type key struct{}
	class, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "LocalAnalyticsEngineDataset", Members: []webidl.Member{
			webidl.Method("writeDataPoint", (*dataset).write),
		}})
		iso.SetValue(key{}, class)
	}
	return class.Wrap(&dataset{b, iso, map[*eventloop.Scope]int{}}), nil
}

// write is writeDataPoint({indexes, blobs, doubles}). What production refuses is a TypeError with workerd's text. A
// point beyond those that an invocation may write is dropped: the documentation names the limit and no error.
func (d *dataset) write(c *webidl.Call) goja.Value {
	event := c.Object(0, "AnalyticsEngineEvent")
	p := dialect.Point{Dataset: d.Dataset, Time: d.iso.Loop.Time(), SampleInterval: 1}
	for _, v := range d.list(event, "indexes", maxIndexes) {
		if p.Index = d.text(v); len(p.Index) > maxIndexSize {
			c.ThrowType(prefix+"Size of indexes[0] exceeds %d bytes).", maxIndexSize)
		}
	}
	size := 0
	for i, v := range d.list(event, "blobs", dialect.Width) {
		p.Blobs[i] = d.text(v)
		if size += len(p.Blobs[i]); size > maxBlobsSize {
			c.ThrowType(prefix+"Cumulative size of blobs exceeds %d bytes).", maxBlobsSize)
		}
	}
	for i, v := range d.list(event, "doubles", dialect.Width) {
		p.Doubles[i] = v.ToNumber().ToFloat()
	}
	scope := d.iso.Loop.Scope()
	n := d.points[scope] + 1
	if n == 1 {
		scope.OnClose(func() { delete(d.points, scope) })
	}
	if d.points[scope] = n; n > maxPoints {
		d.iso.WarnOnce(fmt.Sprintf("Data points of %s are dropped: an invocation may write %d.", d.Dataset, maxPoints))
		return nil
	}
	scope.Output(func(err error) { // an object's point leaves after what the object wrote before is on disk
		if err == nil {
			d.Store.Write(p)
		}
	})
	return nil
}

// list is a field of the event, which is an array if it is given.
func (d *dataset) list(event *goja.Object, field string, most int) []goja.Value {
	v := webidl.Option(event, field)
	if v == nil {
		return nil
	}
	r := d.iso.Realm
	obj, ok := v.(*goja.Object)
	if !ok || obj.ClassName() != "Array" {
		r.ThrowType("Incorrect type for the '%s' field on 'AnalyticsEngineEvent': the provided value is not of type "+
			"'Array'.", field)
	}
	n := obj.Get("length").ToInteger()
	if n > int64(most) {
		r.ThrowType(prefix+"Maximum of %d %s supported.", most, field)
	}
	list := make([]goja.Value, n)
	for i := range list {
		if list[i] = obj.Get(strconv.Itoa(i)); list[i] == nil {
			list[i] = goja.Undefined()
		}
	}
	return list
}

// text is a blob or an index: bytes as they are, null as nothing, and all else as a string.
func (d *dataset) text(v goja.Value) string {
	if goja.IsNull(v) || goja.IsUndefined(v) {
		return ""
	}
	if b, ok := d.iso.Realm.Bytes(v); ok {
		return string(b)
	}
	return webidl.ToString(v)
}
