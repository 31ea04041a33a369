package main

import (
	"cmp"
	"fmt"
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

// server is what answers debuggers, nil if the flags ask for none. opened is told where, and waiting when a script
// begins to wait; both may be nil.
func (f *inspectFlags) server(opened, waiting func(at string)) *inspector.Inspector {
	if !f.port.given && !f.brk.given {
		return nil
	}
	o := inspector.Options{IP: f.ip, Port: cmp.Or(f.brk.port, f.port.port), Break: f.brk.given, Opened: opened}
	var s *inspector.Inspector
	if waiting != nil {
		o.Waiting = func() { waiting(s.Addr()) }
	}
	s = inspector.New(o)
	return s
}

// announced is server for a command that has no banner: where debuggers are answered goes to standard error.
func (f *inspectFlags) announced(env OS) (s *inspector.Inspector, end func()) {
	s = f.server(
		func(at string) { fmt.Fprintln(env.Stderr, "Debugger at ws://"+at) },
		func(string) { fmt.Fprintln(env.Stderr, "Waiting for a debugger…") })
	if s == nil {
		return nil, func() {}
	}
	return s, s.Close
}
