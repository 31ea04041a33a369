package session

import (
	"cmp"
	"fmt"

	"eddy/runtime/bindings/hyperdrive"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// hyperdriveBindings are the databases behind Hyperdrive. One without a connection string is warned of at the start and
// fails when it is used, so that a project whose Worker does not get there runs (BIND-41, BIND-47).
func (s *Session) hyperdriveBindings(cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, h := range cfg.Hyperdrive {
		b := hyperdrive.Binding{Key: h.Binding}
		text := h.LocalConnectionString
		for _, prefix := range []string{"WRANGLER", "CLOUDFLARE"} { // the later one wins (BIND-40)
			text = cmp.Or(s.environ(prefix+"_HYPERDRIVE_LOCAL_CONNECTION_STRING_"+h.Binding), text)
		}
		var err error
		var wrong string
		if text == "" {
			b.Missing = fmt.Sprintf("When developing locally, you should use a local Postgres connection string to "+
				"emulate "+
				"Hyperdrive functionality. Please setup Postgres locally and set the value of the "+
				"'CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_%s' variable or \"%s\"'s \"localConnectionString\" "+
				"to the "+
				"Postgres connection string.", h.Binding, h.Binding)
		} else if b.Parts, err = hyperdrive.Parse(text); err != nil {
			b.Missing = fmt.Sprintf("Hyperdrive binding %s: %v", h.Binding, err)
			wrong = "Write localConnectionString as postgresql://user:password@localhost:5432/database."
		}
		if b.Missing != "" {
			line := b.Missing
			if wrong != "" {
				line += " " + wrong
			}
			if h.Pos.IsValid() {
				line = fmt.Sprintf("%s:%d: %s", s.relative(h.Pos.File), h.Pos.Line, line)
			}
			s.lines.Line(report.Warn, "hyperdrive", line, report.F("binding", h.Binding))
		}
		list = append(list, b)
	}
	return list
}
