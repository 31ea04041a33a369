package session

import (
	"eddy/runtime/journal"
	"eddy/runtime/otlp"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// openJournal opens the journal, which is named after the first Worker: the lock of that Worker keeps other sessions
// out. A journal that cannot be had is no reason not to start.
func (s *Session) openJournal(configs []*wrangler.Config) {
	if !s.opts.Journal.On {
		return
	}
	for _, cfg := range configs {
		s.hideSecrets(cfg)
	}
	if s.opts.Journal.Seen != nil {
		s.journal = journal.Unkept(s.opts.Journal.Full, s.redactor.Redact, s.opts.Journal.Seen,
			s.opts.Journal.Chances)
		return
	}
	tell := func(text string) { s.lines.Line(report.Warn, "journal", text) }
	dir := s.opts.Journal.Dir
	if dir == "" {
		dir = s.state.Journal(s.services[0].name)
	}
	j, err := journal.Open(journal.Options{Dir: dir, Size: s.opts.Journal.Size,
		Age: s.opts.Journal.Age, Full: s.opts.Journal.Full, Redact: s.redactor.Redact, Tell: tell})
	if err != nil {
		tell("Nothing is recorded, for the journal cannot be opened: " + err.Error())
		return
	}
	s.journal = j
	j.Watch(s.lines.failedDelivery)
	s.closers = append(s.closers, j.Close)
	s.exportJournal()
}

// exportJournal sends what is recorded to a collector, if one is named.
func (s *Session) exportJournal() {
	to := s.opts.Journal.OTLP
	if to == "" {
		return
	}
	tell := func(text string) { s.lines.Line(report.Warn, "otlp", text) }
	x, err := otlp.New(to, tell)
	if err != nil {
		tell("No traces are sent: " + err.Error())
		return
	}
	s.journal.Watch(x.Export)
	s.closers = append(s.closers, x.Stop)
}

// hideSecrets keeps the secrets of a configuration out of the journal.
func (s *Session) hideSecrets(cfg *wrangler.Config) {
	if !s.opts.Journal.On {
		return
	}
	for _, v := range cfg.Vars {
		if v.Secret {
			s.redactor.Hide(v.Text, v.JSON)
		}
	}
}

// Journal is the record of the session, nil without one.
func (s *Session) Journal() *journal.Journal { return s.journal }
