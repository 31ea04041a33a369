package main

import (
	"context"
	"os"

	"golang.org/x/term"

	"eddy/runtime"
	"eddy/runtime/report"
)

// hotkeys reads single keys from the terminal until ctx ends: r reloads, b prints the banner, c clears the screen, q,
// x and Ctrl-C end. The context it returns ends with the keys that end; restore gives the terminal back.
func hotkeys(ctx context.Context, in *os.File, s *runtime.Server, rep *report.Reporter) (context.Context, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	state, err := makeCbreak(int(in.Fd()))
	if err != nil {
		cancel()
		return ctx, nil, err
	}
	restore := func() { _ = term.Restore(int(in.Fd()), state); cancel() }
	rep.Line(report.Info, "hotkeys", rep.Paint("dim", "[r] reload  [b] bindings  [c] clear  [q] quit"))
	go func() {
		buf := make([]byte, 1)
		for {
			// The read ends with the process: a terminal offers no other way.
			if _, err := in.Read(buf); err != nil {
				return
			}
			switch buf[0] {
			case 'r':
				for _, name := range s.Workers() {
					_ = s.Reload(ctx, name) // reported by the server
				}
			case 'b':
				s.Banner(0)
			case 'c':
				rep.Line(report.Info, "clear", "\x1b[2J\x1b[H")
			case 'q', 'x', 3, 4:
				cancel()
				return
			}
		}
	}()
	return ctx, restore, nil
}
