package main

import (
	"errors"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
)

// host is a runtime with what the suite wants of one.
type host struct {
	rt    *goja.Runtime
	said  []string
	tasks chan func() // what comes from other goroutines
}

func newHost(s *suite) (*host, error) {
	h := &host{rt: goja.New(), tasks: make(chan func(), 1024)}
	if !s.goja {
		_, err := ecma.Install(h.rt, ecma.Options{AllowEval: true, Post: func(f func()) { h.tasks <- f }})
		if err != nil {
			return nil, err
		}
	}
	realm := h.rt.NewObject()
	members := map[string]any{
		"global":            h.rt.GlobalObject(),
		"gc":                func() {},
		"detachArrayBuffer": h.detach,
		"evalScript": func(source string) goja.Value {
			prg, err := s.compile("evalScript", source)
			if err != nil {
				panic(h.rt.NewGoError(err))
			}
			v, err := h.rt.RunProgram(prg)
			if err != nil {
				panic(err)
			}
			return v
		},
	}
	for name, value := range members {
		if err := realm.Set(name, value); err != nil {
			return nil, err
		}
	}
	for name, value := range map[string]any{
		"$262":  realm,
		"print": func(text string) { h.said = append(h.said, text) },
	} {
		if err := h.rt.GlobalObject().DefineDataProperty(name, h.rt.ToValue(value), goja.FLAG_TRUE, goja.FLAG_TRUE,
			goja.FLAG_FALSE); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// detach takes the memory of a buffer away.
func (h *host) detach(call goja.FunctionCall) goja.Value {
	o, ok := call.Argument(0).(*goja.Object)
	if !ok {
		panic(h.rt.NewTypeError("not a buffer"))
	}
	transfer, ok := goja.AssertFunction(o.Get("transfer"))
	if !ok { // goja alone
		o.Export().(goja.ArrayBuffer).Detach()
		return goja.Null()
	}
	if _, err := transfer(o); err != nil {
		panic(err)
	}
	return goja.Null()
}

// wait runs tasks until the test says that it has ended.
func (h *host) wait() error {
	patience := time.After(200 * time.Millisecond)
	for len(h.said) == 0 {
		select {
		case f := <-h.tasks:
			f()
			if _, err := h.rt.RunString(""); err != nil { // runs what promises wait for
				return err
			}
		case <-patience:
			return errors.New("$DONE was not called")
		}
	}
	if text := h.said[len(h.said)-1]; !strings.Contains(text, "AsyncTestComplete") {
		return errors.New(text)
	}
	return nil
}
