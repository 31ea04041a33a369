package webidl

import (
	"github.com/dop251/goja"
)

// Spec describes one platform class.
type Spec struct {
	// Name is the class name, the global it is installed under and its toStringTag.
	Name string
	// Parent is the class it extends, nil for none.
	Parent *Interface
	// New makes the state of a new instance from constructor arguments. With neither New nor Make `new` throws
	// TypeError "Illegal constructor".
	New func(c *Call) any
	// Make makes the whole instance, for classes whose instances are special objects. proto is the prototype that
	// the instance must have (a subclass's for subclasses).
	Make func(c *Call, proto *goja.Object) *goja.Object
	// Tag overrides toStringTag when it differs from Name.
	Tag string
	// Members are put on prototype and constructor, in order.
	Members []Member
}

// Interface is a class on a realm.
type Interface struct {
	Name        string
	Constructor *goja.Object
	Prototype   *goja.Object
	realm       *Realm
}

// Member is one method, accessor or constant; see [Method], [Async], [Getter], [Accessor], [Const], [Static].
type Member func(i *Interface)

// Define makes the class. It does not make it global; see [Interface.Install].
func (r *Realm) Define(s Spec) *Interface {
	i := &Interface{Name: s.Name, realm: r}
	tag := s.Tag
	if tag == "" {
		tag = s.Name
	}
	i.Constructor = r.rt.ToValue(func(call goja.ConstructorCall) *goja.Object {
		defer r.contain()
		if s.Make == nil && s.New == nil {
			r.ThrowType("Illegal constructor")
		}
		c := &Call{realm: r, iface: tag, This: call.This, Args: call.Arguments}
		return s.Make(c, call.This.Prototype()) // constructs is in its place for New
	}).(*goja.Object)
	if s.Make != nil || s.New != nil {
		r.constructedOnly(i.Constructor, tag)
	}
	if s.Make == nil && s.New != nil {
		r.constructs(i, func(this *goja.Object, args []goja.Value) any {
			return s.New(&Call{realm: r, iface: tag, This: this, Args: args})
		})
	}
	r.setName(i.Constructor, s.Name)
	i.Prototype = i.Constructor.Get("prototype").ToObject(r.rt)
	if s.Parent != nil {
		_ = i.Prototype.SetPrototype(s.Parent.Prototype)
		_ = i.Constructor.SetPrototype(s.Parent.Constructor)
	}
	if !r.Untagged {
		_ = i.Prototype.DefineDataPropertySymbol(
			goja.SymToStringTag, r.rt.ToValue(tag), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	for _, m := range s.Members {
		m(i)
	}
	return i
}

// constructedOnly makes a call of ctor without new throw. goja would make an instance of such a call.
func (r *Realm) constructedOnly(ctor *goja.Object, name string) {
	n, ok := r.in.Native(ctor)
	if !ok {
		panic("webidl: the constructor of " + name + " is no native function")
	}
	*n.Call = func(goja.FunctionCall) goja.Value {
		r.ThrowType("Failed to construct '%s': Please use the 'new' operator, this object constructor cannot be "+
			"called as a function.", name)
		return nil
	}
}

// constructs lets new make an instance and its state in one piece, of the prototype that goja would find.
func (r *Realm) constructs(i *Interface, state func(this *goja.Object, args []goja.Value) any) {
	n, ok := r.in.Native(i.Constructor)
	if !ok {
		panic("webidl: the constructor of " + i.Name + " is no native function")
	}
	*n.Construct = func(args []goja.Value, target *goja.Object) *goja.Object {
		if target == nil {
			target = i.Constructor
		}
		proto, ok := target.Get("prototype").(*goja.Object)
		if !ok {
			proto = r.objectPrototype
		}
		defer r.contain()
		obj := r.in.Carrying(r.rt, proto, nil)
		r.in.SetState(obj, state(obj, args))
		return obj
	}
}

// Install makes the class a global, as the platform does: writable, configurable, not enumerable.
func (i *Interface) Install() *Interface {
	_ = i.realm.rt.GlobalObject().DefineDataProperty(
		i.Name, i.Constructor, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return i
}

// Wrap makes an instance around state without running the constructor.
func (i *Interface) Wrap(state any) *goja.Object {
	return i.realm.in.Carrying(i.realm.rt, i.Prototype, state)
}

// WrapLazily is [Interface.Wrap] for n states at once, whose objects are made when somebody first looks at them: then
// fill gives an object its own properties. It must not fail.
func (i *Interface) WrapLazily(n int, state func(n int) any, fill func(n int, obj *goja.Object)) []goja.Value {
	return i.realm.in.Lazy(i.realm.rt, n, i.Prototype, func(n int, obj *goja.Object) {
		i.realm.SetState(obj, state(n))
		fill(n, obj)
	})
}

// WrapLater is WrapLazily for one instance, which fill also gives its state, by [Realm.SetState].
func (i *Interface) WrapLater(fill func(_ int, obj *goja.Object)) *goja.Object {
	return i.realm.in.LazyOne(i.realm.rt, i.Prototype, fill)
}

// Realm is the realm the class lives on.
func (i *Interface) Realm() *Realm { return i.realm }

// self converts this, or throws the brand check's error.
func self[T any](i *Interface, v goja.Value) T {
	s, ok := StateOf[T](i.realm, v)
	if !ok {
		i.realm.ThrowType("%s", IllegalInvocation)
	}
	return s
}

func (i *Interface) call(name string, fc goja.FunctionCall) *Call {
	return &Call{realm: i.realm, iface: i.Name, method: name, This: fc.This, Args: fc.Arguments}
}

// Method is a method of the prototype. A nil result is undefined.
func Method[T any](name string, fn func(self T, c *Call) goja.Value) Member {
	return func(i *Interface) {
		i.realm.defineFunction(i.Prototype, name, true, func(fc goja.FunctionCall) goja.Value {
			return orUndefined(fn(self[T](i, fc.This), i.call(name, fc)))
		})
	}
}

// Async is a method that answers with a promise: fn's result is the promise or the value it is resolved with, what
// fn throws (the brand check included) comes as a rejection.
func Async[T any](name string, fn func(self T, c *Call) goja.Value) Member {
	return func(i *Interface) {
		i.realm.defineFunction(i.Prototype, name, true, func(fc goja.FunctionCall) goja.Value {
			return i.realm.Promised(func() goja.Value { return fn(self[T](i, fc.This), i.call(name, fc)) })
		})
	}
}

// Getter is a read-only accessor of the prototype.
func Getter[T any](name string, get func(self T, c *Call) goja.Value) Member {
	return Accessor(name, get, nil)
}

// Accessor is an accessor of the prototype; set may be nil. get must not keep its Call, which the next getter gets.
func Accessor[T any](
	name string, get func(self T, c *Call) goja.Value, set func(self T, c *Call, v goja.Value)) Member {
	return func(i *Interface) {
		r := i.realm
		g := r.Function("get "+name, func(fc goja.FunctionCall) goja.Value {
			state := self[T](i, fc.This)
			c := r.spare
			if r.spare = nil; c == nil {
				c = new(Call)
			}
			*c = Call{realm: r, iface: i.Name, method: name, This: fc.This, Args: fc.Arguments}
			v := get(state, c)
			*c = Call{}
			r.spare = c
			return orUndefined(v)
		})
		var s goja.Value
		if set != nil {
			s = r.Function("set "+name, func(fc goja.FunctionCall) goja.Value {
				set(self[T](i, fc.This), i.call(name, fc), fc.Argument(0))
				return goja.Undefined()
			})
		}
		if err := i.Prototype.DefineAccessorProperty(name, g, s, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
	}
}

// Const is a read-only constant on both constructor and prototype.
func Const(name string, value any) Member {
	return func(i *Interface) {
		for _, o := range []*goja.Object{i.Constructor, i.Prototype} {
			_ = o.DefineDataProperty(name, i.realm.rt.ToValue(value), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
		}
	}
}

// Static is a function of the constructor.
func Static(name string, fn func(c *Call) goja.Value) Member {
	return func(i *Interface) {
		i.realm.defineFunction(i.Constructor, name, true, func(fc goja.FunctionCall) goja.Value {
			return orUndefined(fn(i.call(name, fc)))
		})
	}
}

// SymbolMethod is a method under a well-known symbol, not enumerable; label is the function's name, as
// "[Symbol.iterator]".
func SymbolMethod[T any](sym *goja.Symbol, label string, fn func(self T, c *Call) goja.Value) Member {
	return func(i *Interface) {
		f := i.realm.Function(label, func(fc goja.FunctionCall) goja.Value {
			return orUndefined(fn(self[T](i, fc.This), i.call(label, fc)))
		})
		_ = i.Prototype.DefineDataPropertySymbol(sym, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}

func orUndefined(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}
