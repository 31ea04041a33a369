package script

import "github.com/dop251/goja/ast"

// defined makes a literal define what stands under computed names. goja assigns it, so that a setter or getter of the
// same name, which the literal or its prototype has, is called or refuses. A spread is defined: [key]: value becomes
// ...{ [key]: value } where the literal may have such a name.
func defined(o *ast.ObjectLiteral) {
	if !hasAccessors(o) {
		return
	}
	for i, p := range o.Value {
		k, ok := p.(*ast.PropertyKeyed)
		if !ok || !k.Computed || k.Kind != ast.PropertyKindValue {
			continue
		}
		o.Value[i] = &ast.SpreadElement{Expression: &ast.ObjectLiteral{
			LeftBrace: k.Idx0(), RightBrace: k.Idx1() - 1, Value: []ast.Property{k},
		}}
	}
}

// hasAccessors tells whether a literal has accessors, or a prototype that may have some.
func hasAccessors(o *ast.ObjectLiteral) bool {
	for _, p := range o.Value {
		k, ok := p.(*ast.PropertyKeyed)
		if !ok {
			continue
		}
		if k.Kind == ast.PropertyKindGet || k.Kind == ast.PropertyKindSet {
			return true
		}
		name, ok := k.Key.(*ast.StringLiteral)
		if ok && !k.Computed && k.Kind == ast.PropertyKindValue && name.Value == "__proto__" {
			return true
		}
	}
	return false
}
