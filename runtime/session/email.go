package session

import (
	"eddy/runtime/bindings/email"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// emailBindings are the channels by which a Worker sends mail: into files, which the log names.
func (s *Session) emailBindings(name string, cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, b := range cfg.SendEmail {
		list = append(list, email.Binding{Key: b.Name, Mailbox: email.Mailbox{Dir: s.state.Email()},
			Clock: s.opts.Clock,
			Allowed: email.Allowed{Destination: b.Destination, Destinations: b.AllowedDestinations,
				Senders: b.AllowedSenders},
			Sent: func(about string) {
				s.lines.Line(report.Info, "email", about, report.F("worker", name), report.F("binding", b.Name))
			}})
	}
	return list
}

// Mailbox is the folder of what Workers send and reply with.
func (s *Session) Mailbox() string { return s.state.Email() }
