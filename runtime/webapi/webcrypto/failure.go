package webcrypto

import (
	"errors"
	"fmt"

	"eddy/runtime/engine/webidl"
)

// The classes of failures: names of DOMExceptions, and two error classes.
const (
	operationError     = "OperationError"
	dataError          = "DataError"
	syntaxError        = "SyntaxError"
	notSupportedError  = "NotSupportedError"
	invalidAccessError = "InvalidAccessError"
	typeError          = "TypeError"
	plainError         = "Error"
)

// failure is an error with the class that JavaScript sees.
type failure struct{ class, text string }

func (f *failure) Error() string { return f.text }

func fail(class, format string, args ...any) error {
	return &failure{class, fmt.Sprintf(format, args...)}
}

func missingField(name string) error {
	return fail(typeError, `Missing field "%s" in "algorithm".`, name)
}

// throw throws err on the realm. An error that is no failure is a refusal of Go's crypto packages.
func throw(r *webidl.Realm, err error) {
	var f *failure
	if !errors.As(err, &f) {
		r.ThrowDOM(operationError, "%s", err.Error())
	}
	if f.class == typeError || f.class == plainError {
		r.ThrowError(f.class, "%s", f.text)
	}
	r.ThrowDOM(f.class, "%s", f.text)
}
