package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/term"

	eddy "eddy/runtime"
	"eddy/runtime/control"
	"eddy/runtime/explorer"
	"eddy/runtime/inspector"
	"eddy/runtime/report"
)

// hotkeyHelp names the keys that do something, wrangler's first.
const hotkeyHelp = "[b] browser  [e] explorer  [d] debugger  [c] clear  [r] reload  [l] list bindings  [p] pause or " +
	"resume " +
	"deliveries  [x] quit " +
	" [?] keys"

// hotkeys reads single keys from the terminal until ctx ends. The context that it returns ends also when a key ends the
// session. restore gives the terminal back, and may be called twice.
func hotkeys(
	ctx context.Context, in *os.File, s *eddy.Session, rep *report.Reporter, debugger *inspector.Inspector,
) (context.Context, func(), error) {
	ctx, cancel := context.WithCancelCause(ctx)
	state, err := makeCbreak(int(in.Fd()))
	if err != nil {
		cancel(nil)
		return ctx, nil, err
	}
	restore := sync.OnceFunc(func() { _ = term.Restore(int(in.Fd()), state); cancel(nil) })
	k := &keys{session: s, rep: rep, quit: func() { cancel(nil) }, open: openBrowser, debugger: debugger,
		inspect: func() { cancel(errInspect) }}
	k.say(hotkeyHelp)
	go func() {
		for {
			key, ok := nextKey(in)
			if !ok || !k.press(ctx, key) {
				return
			}
		}
	}()
	return ctx, restore, nil
}

// keys carries out the hot keys. Only the goroutine that reads them uses it.
type keys struct {
	session *eddy.Session
	rep     *report.Reporter
	quit    func()
	open    func(url string) error
	paused  bool
	// debugger is nil in a session without one; inspect begins the session again with one.
	debugger *inspector.Inspector
	inspect  func()
}

func (k *keys) say(format string, args ...any) {
	k.rep.Line(report.Info, "hotkeys", k.rep.Paint("dim", fmt.Sprintf(format, args...)))
}

// nextKey reads a key. The read ends with the process: a terminal offers no other way.
func nextKey(in *os.File) (key byte, ok bool) {
	buf := make([]byte, 1)
	_, err := in.Read(buf)
	return buf[0], err == nil
}

// sayDebugger tells how to get at the Workers with a debugger.
func (k *keys) sayDebugger() {
	k.say("debugger: chrome://inspect lists the Workers once %s is among its targets; editors attach to the port",
		k.debugger.Addr())
	for _, t := range k.debugger.Targets(k.debugger.Addr()) {
		k.say("  %s: %s", t.Title, t.FrontendURL)
	}
}

// whyNoBrowser is what keeps the browser away, in plain words.
func whyNoBrowser(err error) string {
	var missing *exec.Error
	if errors.As(err, &missing) && errors.Is(err, exec.ErrNotFound) {
		return missing.Name + " is not installed"
	}
	return plainly(err)
}

// press carries out one key and reports whether more keys are wanted. Upper and lower case are the same, as in
// wrangler.
func (k *keys) press(ctx context.Context, key byte) bool {
	if key >= 'A' && key <= 'Z' {
		key += 'a' - 'A'
	}
	switch key {
	case 'b':
		if err := k.open(k.session.URL()); err != nil {
			k.say("no browser could be opened (%s); the Worker is at %s", whyNoBrowser(err), k.session.URL())
		}
	case 'd':
		if k.debugger == nil {
			k.inspect()
			return false
		}
		k.sayDebugger()
	case 'e':
		if err := k.open(k.session.URL() + explorer.Base); err != nil {
			k.say("no browser could be opened (%s); the explorer is at %s", whyNoBrowser(err),
				k.session.URL()+explorer.Base)
		}
	case 't':
		k.say("there is no tunnel; run one beside it: cloudflared tunnel --url %s", k.session.URL())
	case 'c':
		k.rep.Clear()
	case 'r':
		for _, name := range k.session.Workers() {
			_ = k.session.Reload(ctx, name) // the session reports it
		}
	case 'l':
		k.session.Banner(0)
	case 'p':
		k.pause(ctx)
	case '?', 'h':
		k.say(hotkeyHelp)
	case 'q', 'x', 3, 4:
		k.quit()
		return false
	}
	return true
}

// pause stops the deliveries of all queues, or starts them again.
func (k *keys) pause(ctx context.Context) {
	c, err := control.Dial(k.session.URL(), "")
	if err != nil {
		k.say("deliveries: %v", err)
		return
	}
	all, err := c.Queues(ctx)
	if err != nil {
		k.say("deliveries: %v", err)
		return
	}
	k.paused = !k.paused
	for _, q := range all {
		if q.Paused != k.paused {
			if _, err := c.Pause(ctx, q.Name, k.paused); err != nil {
				k.say("queue %s: %v", q.Name, err)
			}
		}
	}
	if k.paused {
		k.say("deliveries are paused; messages wait, p goes on")
	} else {
		k.say("deliveries go on")
	}
}

// openBrowser shows an address in the system's browser.
func openBrowser(url string) error {
	command := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", url}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // the browser's exit code does not matter
	return nil
}
