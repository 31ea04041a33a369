package webcrypto

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// field is one member of an algorithm dictionary and how it is read.
type field struct {
	name string
	read func(r *reader, p *parameters, v goja.Value)
}

// dictionary is an algorithm argument of one operation: its name in error texts and its members.
type dictionary struct {
	name   string
	fields []field
}

// reader reads arguments of one call.
type reader struct {
	c    *webidl.Call
	dict string
}

// wrongType throws the platform's text for a member of the wrong kind.
func (r *reader) wrongType(name, want string) {
	r.c.ThrowType("Incorrect type for the '%s' field on '%s': the provided value is not of type '%s'.", name, r.dict,
		want)
}

func number32(name string, at func(*parameters) **int) field {
	return field{name, func(r *reader, p *parameters, v goja.Value) {
		n := int(r.c.Realm().Int32(v))
		*at(p) = &n
	}}
}

func byteField(name string, at func(*parameters) *[]byte) field {
	return field{name, func(r *reader, p *parameters, v goja.Value) {
		b, ok := r.c.Realm().Bytes(v)
		if !ok {
			r.wrongType(name, "BufferSource")
		}
		*at(p) = b
		if p.has == nil {
			p.has = map[string]bool{}
		}
		p.has[name] = true
	}}
}

var (
	fieldIV             = byteField("iv", func(p *parameters) *[]byte { return &p.iv })
	fieldAdditionalData = byteField("additionalData", func(p *parameters) *[]byte { return &p.additionalData })
	fieldCounter        = byteField("counter", func(p *parameters) *[]byte { return &p.counter })
	fieldLabel          = byteField("label", func(p *parameters) *[]byte { return &p.label })
	fieldSalt           = byteField("salt", func(p *parameters) *[]byte { return &p.salt })
	fieldInfo           = byteField("info", func(p *parameters) *[]byte { return &p.info })
	fieldExponent       = byteField("publicExponent", func(p *parameters) *[]byte { return &p.publicExponent })
	fieldContext        = byteField("context", func(p *parameters) *[]byte { return &p.context })
	fieldTagLength      = number32("tagLength", func(p *parameters) **int { return &p.tagLength })
	fieldLength         = number32("length", func(p *parameters) **int { return &p.length })
	fieldSaltLength     = number32("saltLength", func(p *parameters) **int { return &p.saltLength })
	fieldIterations     = number32("iterations", func(p *parameters) **int { return &p.iterations })
	fieldModulusLength  = number32("modulusLength", func(p *parameters) **int { return &p.modulusLength })
	fieldCurve          = field{"namedCurve", func(_ *reader, p *parameters, v goja.Value) {
		s := webidl.ToString(v)
		p.namedCurve = &s
	}}
	fieldHash = field{"hash", func(r *reader, p *parameters, v goja.Value) {
		obj, ok := v.(*goja.Object)
		if ok {
			if v = webidl.Option(obj, "name"); v == nil {
				(&reader{r.c, "HashAlgorithm"}).wrongType("name", "string")
			}
		}
		s := webidl.ToString(v)
		p.hash = &s
	}}
	fieldPublic = field{"public", func(r *reader, p *parameters, v goja.Value) {
		k, ok := webidl.StateOf[*Key](r.c.Realm(), v)
		if !ok {
			r.wrongType("$public", "CryptoKey")
		}
		p.public = k
	}}

	encryptDict = dictionary{
		"EncryptAlgorithm",
		[]field{fieldIV, fieldAdditionalData, fieldTagLength, fieldCounter, fieldLength, fieldLabel}}
	signDict     = dictionary{"SignAlgorithm", []field{fieldHash, fieldSaltLength, fieldContext}}
	generateDict = dictionary{
		"GenerateKeyAlgorithm", []field{fieldHash, fieldModulusLength, fieldExponent, fieldLength, fieldCurve}}
	importDict = dictionary{"ImportKeyAlgorithm", []field{fieldHash, fieldLength, fieldCurve}}
	deriveDict = dictionary{
		"DeriveKeyAlgorithm", []field{fieldSalt, fieldIterations, fieldHash, fieldPublic, fieldInfo}}
	hashDict = dictionary{"HashAlgorithm", nil}
)

// algorithmArg reads argument i: a name or a dictionary.
func algorithmArg(c *webidl.Call, i int, d dictionary) *parameters {
	v := c.Require(i, d.name)
	obj, ok := v.(*goja.Object)
	if !ok {
		if goja.IsUndefined(v) || goja.IsNull(v) {
			c.ThrowNotOfType(i, "string or "+d.name)
		}
		return &parameters{name: webidl.ToString(v)}
	}
	r := &reader{c, d.name}
	name := webidl.Option(obj, "name")
	if name == nil {
		r.wrongType("name", "string")
	}
	p := &parameters{name: webidl.ToString(name)}
	for _, f := range d.fields {
		if v := webidl.Option(obj, f.name); v != nil {
			f.read(r, p, v)
		}
	}
	return p
}

// bytesArg is argument i as bytes, copied.
func bytesArg(c *webidl.Call, i int) []byte {
	b, ok := c.Realm().Bytes(c.Arg(i))
	if !ok {
		c.ThrowNotOfType(i, "BufferSource")
	}
	return b
}

func keyArg(c *webidl.Call, i int) *Key {
	k, ok := webidl.StateOf[*Key](c.Realm(), c.Arg(i))
	if !ok {
		c.ThrowNotOfType(i, "CryptoKey")
	}
	return k
}

// listArg is argument i as a list of strings.
func listArg(c *webidl.Call, i int) []string {
	obj, ok := c.Require(i, "Array").(*goja.Object)
	if !ok {
		c.ThrowNotOfType(i, "Array")
	}
	return stringList(c, obj)
}

func stringList(c *webidl.Call, obj *goja.Object) []string {
	list := []string{}
	c.Runtime().ForOf(obj, func(v goja.Value) bool {
		list = append(list, webidl.ToString(v))
		return true
	})
	return list
}

// keyDataArg is argument i as what is imported: bytes, or a JSON Web Key.
func keyDataArg(c *webidl.Call, i int) ([]byte, *jwk) {
	v := c.Arg(i)
	if b, ok := c.Realm().Bytes(v); ok {
		return b, nil
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		c.ThrowNotOfType(i, "BufferSource or JsonWebKey")
	}
	j, ok := jwkFrom(c, obj)
	if !ok {
		(&reader{c, "JsonWebKey"}).wrongType("kty", "string")
	}
	return nil, j
}

// jwkFrom reads a JSON Web Key; ok is false when it has no kty.
func jwkFrom(c *webidl.Call, obj *goja.Object) (j *jwk, ok bool) {
	kty := webidl.Option(obj, "kty")
	if kty == nil {
		return nil, false
	}
	j = &jwk{Kty: webidl.ToString(kty)}
	for _, m := range j.members() {
		if v := webidl.Option(obj, m.name); v != nil {
			s := webidl.ToString(v)
			*m.at = &s
		}
	}
	if ops, ok := webidl.Option(obj, "key_ops").(*goja.Object); ok {
		j.KeyOps, j.hasOps = stringList(c, ops), true
	}
	if v := webidl.Option(obj, "ext"); v != nil {
		ext := v.ToBoolean()
		j.Ext = &ext
	}
	j.otherPrimes = webidl.Option(obj, "oth") != nil
	return j, true
}

// jwkTo makes the JavaScript object of a JSON Web Key, its members in the platform's order.
func jwkTo(rt *goja.Runtime, j *jwk) *goja.Object {
	obj := rt.NewObject()
	put := func(name string, v any) {
		_ = obj.DefineDataProperty(name, rt.ToValue(v), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	put("kty", j.Kty)
	for _, m := range j.members() {
		if m.name == "alg" && j.hasOps {
			put("key_ops", stringArray(rt, j.KeyOps))
		}
		if *m.at != nil {
			put(m.name, **m.at)
		}
		if m.name == "alg" && j.Ext != nil {
			put("ext", *j.Ext)
		}
	}
	return obj
}

func stringArray(rt *goja.Runtime, list []string) *goja.Object {
	items := make([]any, len(list))
	for i, s := range list {
		items[i] = s
	}
	return rt.NewArray(items...)
}
