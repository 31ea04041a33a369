package fetch

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net"

	"github.com/dop251/goja"
)

// networkError is what a failed connection or body looks like to scripts (RT10): a lost connection says so and may be
// tried again; anything else, an unknown host among it, is an internal error with a reference. What really happened
// comes as the cause.
func (k *classes) networkError(err error) goja.Value {
	if errors.Is(err, errTooLarge) {
		return k.h.Realm.TypeError("%s", errTooLarge)
	}
	var v *goja.Object
	var dns *net.DNSError
	var op *net.OpError
	switch lost := errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed); {
	case errors.As(err, &dns) || !lost:
		v = k.h.Realm.NewError("Error", "internal error; reference = "+k.reference())
	default:
		v = k.h.Realm.NewError("Error", "Network connection lost.")
		for _, name := range []string{"retryable", "remote"} {
			if err := v.Set(name, true); err != nil {
				panic(k.h.Realm.ErrorValue(err))
			}
		}
	}
	cause := k.h.Realm.NewError("Error", err.Error())
	if err := v.DefineDataProperty("cause", cause, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(k.h.Realm.ErrorValue(err))
	}
	return v
}

// reference is 24 characters, as the platform makes them.
func (k *classes) reference() string {
	var b [12]byte
	if _, err := io.ReadFull(k.h.Rand(), b[:]); err != nil {
		_, _ = rand.Read(b[:])
	}
	return hex.EncodeToString(b[:])
}
