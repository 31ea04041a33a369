package main

import (
	"strconv"

	"github.com/spf13/pflag"

	"eddy/runtime/inspector"
)

// inspectFlags say whether debuggers are let in, with the names that Node and wrangler have for it.
type inspectFlags struct {
	port, brk portFlag
	ip        string
}

// portFlag is a port that may be left out: --inspect, --inspect=9230.
type portFlag struct {
	given bool
	port  int // -1 for any that is free, 0 for the default
}

// defaultPort is the value of a flag without one.
const defaultPort = "9229, or the next that is free"

func (p *portFlag) String() string {
	switch {
	case !p.given, p.port == 0:
		return ""
	case p.port < 0:
		return "0"
	}
	return strconv.Itoa(p.port)
}

func (p *portFlag) Set(text string) error {
	p.given, p.port = true, 0
	if text == defaultPort {
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return usage("%q is no port: expected 1 to 65535, or 0 for any that is free", text)
	}
	if p.port = int(n); n == 0 {
		p.port = -1
	}
	return nil
}

func (*portFlag) Type() string { return "port" }

func (f *inspectFlags) add(fl *pflag.FlagSet) {
	fl.Var(&f.port, "inspect", "let in debuggers that speak the Chrome DevTools protocol, at a `port` (default "+
		defaultPort+")")
	fl.Var(&f.brk, "inspect-brk", "as --inspect, and wait for a debugger before the first statement runs")
	for _, name := range []string{"inspect", "inspect-brk"} {
		fl.Lookup(name).NoOptDefVal = defaultPort
	}
}

// addOfWrangler adds the flags that wrangler dev has for it.
func (f *inspectFlags) addOfWrangler(fl *pflag.FlagSet) {
	fl.Var(&f.port, "inspector-port", "as --inspect=`port`")
	fl.StringVar(&f.ip, "inspector-ip", "", "`address` of the debugger's port (default 127.0.0.1)")
}

// server is what answers debuggers, nil if the flags ask for none. waiting is called when a script begins to wait.
func (f *inspectFlags) server(waiting func(at string)) *inspector.Server {
	if !f.port.given && !f.brk.given {
		return nil
	}
	o := inspector.Options{IP: f.ip, Port: f.port.port, Break: f.brk.given}
	if f.brk.port != 0 {
		o.Port = f.brk.port
	}
	var s *inspector.Server
	o.Waiting = func() { waiting("ws://" + s.Addr()) }
	s = inspector.New(o)
	return s
}
