package inspector

import (
	"strconv"

	"github.com/chromedp/cdproto/runtime"
	"github.com/dop251/goja"
)

// maxProperties bounds what a client is sent of one object; a front end shows fewer.
const maxProperties = 10_000

// scopeProperties are the variables of a scope. Those without a value yet are left out, as V8 does.
func (o *objects) scopeProperties(ref *scopeRef, group string, preview bool) (list []*runtime.PropertyDescriptor) {
	r := o.realm
	add := func(name string, v goja.Value, writable bool) {
		list = append(list, &runtime.PropertyDescriptor{
			Name: name, Value: o.remote(v, group, preview), Writable: writable, Configurable: writable,
			Enumerable: true, IsOwn: true,
		})
	}
	for _, v := range ref.scope.Variables {
		if value, thrown := r.read(ref.call, v.Key); thrown == nil {
			add(v.Name, value, !v.Imported)
		}
	}
	return list
}

// descriptors are an object's own properties, and those of its prototypes too unless own is set.
func (o *objects) descriptors(v *goja.Object, own, accessorsOnly bool, group string, preview bool) (
	list []*runtime.PropertyDescriptor, thrown goja.Value,
) {
	seen := map[string]bool{}
	for holder, first := v, true; holder != nil; first = false {
		var more []*runtime.PropertyDescriptor
		if more, thrown = o.ownDescriptors(holder, group, preview); thrown != nil {
			return list, thrown
		}
		for _, d := range more {
			accessor := d.Value == nil
			if seen[d.Name] || accessorsOnly && !accessor || len(list) >= maxProperties {
				continue
			}
			seen[d.Name], d.IsOwn = true, first
			list = append(list, d)
		}
		if own {
			break
		}
		holder = o.prototype(holder)
	}
	return list, nil
}

func (o *objects) prototype(v *goja.Object) *goja.Object {
	p, thrown := o.realm.try(func() (goja.Value, error) { return o.pristine.prototype(goja.Undefined(), v) })
	if thrown != nil {
		return nil
	}
	object, _ := p.(*goja.Object)
	return object
}

func (o *objects) ownDescriptors(v *goja.Object, group string, preview bool) (
	list []*runtime.PropertyDescriptor, thrown goja.Value,
) {
	r := o.realm
	keys, thrown := r.try(func() (goja.Value, error) { return o.pristine.ownKeys(goja.Undefined(), v) })
	if thrown != nil {
		return nil, thrown
	}
	all := keys.(*goja.Object)
	length := int(all.Get("length").ToInteger())
	for i := range min(length, maxProperties) {
		key := all.Get(strconv.Itoa(i))
		d, thrown := r.try(func() (goja.Value, error) { return o.pristine.descriptor(goja.Undefined(), v, key) })
		if thrown != nil {
			return list, thrown
		}
		if about, ok := d.(*goja.Object); ok {
			list = append(list, o.descriptor(key, about, group, preview))
		}
	}
	return list, nil
}

// descriptor is how a client sees a property.
func (o *objects) descriptor(key goja.Value, about *goja.Object, group string,
	preview bool) *runtime.PropertyDescriptor {
	is := func(name string) bool { v := about.Get(name); return v != nil && v.ToBoolean() }
	d := &runtime.PropertyDescriptor{
		Name: key.String(), Configurable: is("configurable"), Enumerable: is("enumerable"), IsOwn: true}
	if symbol, ok := key.(*goja.Symbol); ok {
		d.Name, d.Symbol = "Symbol("+symbol.String()+")", o.remote(symbol, group, false)
	}
	if v := about.Get("value"); v != nil {
		d.Value, d.Writable = o.remote(v, group, preview), is("writable")
		return d
	}
	for name, to := range map[string]**runtime.RemoteObject{"get": &d.Get, "set": &d.Set} {
		if f, ok := about.Get(name).(*goja.Object); ok {
			*to = o.remote(f, group, false)
		} else {
			*to = &runtime.RemoteObject{Type: "undefined"}
		}
	}
	return d
}

// internals are what an object has beside its properties.
func (o *objects) internals(v *goja.Object, group string, preview bool) (list []*runtime.InternalPropertyDescriptor) {
	add := func(name string, value goja.Value) {
		list = append(list, &runtime.InternalPropertyDescriptor{
			Name: "[[" + name + "]]", Value: o.remote(value, group, preview)})
	}
	if p := o.prototype(v); p != nil {
		add("Prototype", p)
	}
	if p, ok := v.Export().(*goja.Promise); ok {
		state := map[goja.PromiseState]string{goja.PromiseStatePending: "pending",
			goja.PromiseStateFulfilled: "fulfilled", goja.PromiseStateRejected: "rejected"}[p.State()]
		add("PromiseState", o.realm.rt.ToValue(state))
		add("PromiseResult", p.Result())
		return list
	}
	if kind := o.kind(v); kind == "map" || kind == "set" {
		entries, thrown := o.realm.try(func() (goja.Value, error) { return o.pristine.entries(goja.Undefined(), v) })
		if thrown == nil {
			add("Entries", entries)
		}
	}
	return list
}

// previewProperties is how many properties a preview shows, as many as V8's.
const previewProperties, previewIndexes = 5, 100

// preview is a short form of an object, two levels deep.
func (o *objects) preview(v *goja.Object, about *runtime.RemoteObject, nested bool) *runtime.ObjectPreview {
	p := &runtime.ObjectPreview{Type: about.Type, Subtype: about.Subtype, Description: about.Description,
		Properties: []*runtime.PropertyPreview{}}
	r := o.realm
	limit := previewProperties
	if about.Subtype == "array" || about.Subtype == "typedarray" {
		limit = previewIndexes
	}
	if kind := string(about.Subtype); kind == "map" || kind == "set" {
		o.previewEntries(v, p, nested)
		return p
	}
	keys, thrown := r.try(func() (goja.Value, error) { return o.pristine.ownKeys(goja.Undefined(), v) })
	if thrown != nil {
		return p
	}
	all := keys.(*goja.Object)
	length := int(all.Get("length").ToInteger())
	for i := range length {
		key := all.Get(strconv.Itoa(i))
		if _, symbol := key.(*goja.Symbol); symbol || key.String() == "length" && about.Subtype == "array" {
			continue
		}
		d, thrown := r.try(func() (goja.Value, error) { return o.pristine.descriptor(goja.Undefined(), v, key) })
		desc, ok := d.(*goja.Object)
		if thrown != nil || !ok {
			continue
		}
		if e := desc.Get("enumerable"); e == nil || !e.ToBoolean() {
			continue
		}
		if len(p.Properties) >= limit {
			p.Overflow = true
			break
		}
		property := &runtime.PropertyPreview{Name: key.String(), Type: "accessor"}
		if value := desc.Get("value"); value != nil {
			o.previewValue(value, property)
		}
		p.Properties = append(p.Properties, property)
	}
	return p
}

func (o *objects) previewValue(v goja.Value, to *runtime.PropertyPreview) {
	about := &runtime.RemoteObject{}
	switch v := v.(type) {
	case *goja.Object:
		o.describe(v, about)
	case *goja.Symbol:
		about.Type, about.Description = "symbol", "Symbol("+v.String()+")"
	default:
		o.primitive(v, about)
	}
	to.Type, to.Subtype, to.Value = about.Type, about.Subtype, short(about.Description)
	if about.Type == "function" {
		to.Value = ""
	}
	if about.Type == "string" {
		to.Value = short(v.String())
	}
	if about.Subtype == "null" {
		to.Value = "null"
	}
}

// short is a text as previews show it.
func short(text string) string {
	if r := []rune(text); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return text
}

func (o *objects) previewEntries(v *goja.Object, p *runtime.ObjectPreview, nested bool) {
	if !nested {
		return
	}
	entries, thrown := o.realm.try(func() (goja.Value, error) { return o.pristine.entries(goja.Undefined(), v) })
	if thrown != nil {
		return
	}
	list := entries.(*goja.Object)
	length := int(list.Get("length").ToInteger())
	for i := range min(length, previewProperties) {
		pair := list.Get(strconv.Itoa(i)).(*goja.Object)
		e := &runtime.EntryPreview{}
		if pair.Get("length").ToInteger() == 2 {
			e.Key, e.Value = o.previewOf(pair.Get("0")), o.previewOf(pair.Get("1"))
		} else {
			e.Value = o.previewOf(pair.Get("0"))
		}
		p.Entries = append(p.Entries, e)
	}
	p.Overflow = length > previewProperties
}

func (o *objects) previewOf(v goja.Value) *runtime.ObjectPreview {
	about := &runtime.RemoteObject{}
	if object, ok := v.(*goja.Object); ok {
		o.describe(object, about)
		return o.preview(object, about, false)
	}
	var p runtime.PropertyPreview
	o.previewValue(v, &p)
	return &runtime.ObjectPreview{Type: p.Type, Subtype: p.Subtype, Description: p.Value,
		Properties: []*runtime.PropertyPreview{}}
}
