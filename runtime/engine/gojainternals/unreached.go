package gojainternals

import "unsafe"

// unreached stands where goja's compiler has left nothing: a continue whose finally always breaks out of a labelled
// statement has no place to go to, and never gets to go.
type unreached struct{}

func (unreached) exec(unsafe.Pointer) { panic("gojainternals: code that nothing leads to is run") }
