package session

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"eddy/runtime/journal"
	"eddy/runtime/otlp"
	"eddy/wrangler"
)

// JournalOptions say what a session records of what happens in it. The zero value records nothing.
type JournalOptions struct {
	On bool
	// Configured lets eddy's own file beside the configuration of the first Worker decide On, which is true without a
	// word there, and Full. The file's rules of redaction hold without it, too.
	Configured bool
	// Full says that uses of bindings and of storage are recorded, too.
	Full bool
	// Dir is the journal's folder, "" for the one in the state directory. Nobody else may write there.
	Dir string
	// OTLP is the URL of a collector that gets traces, "" for none.
	OTLP string
	// Redact are the rules by which values are hidden: see [journal.ParseRules].
	Redact []string
	// Size and Age are those of [journal.Options].
	Size int64
	Age  time.Duration
	// Seen, if set, is called with every entry, in the place of a journal on disk. It must not block or keep the entry.
	Seen func(*journal.Entry)
	// Chances, with Seen, gives what scripts shall see by chance in an event, nil for what the session has.
	Chances func(*journal.Entry) *journal.Chances
}

// configure adds what eddy's own files say.
func (o *JournalOptions) configure(configs []*wrangler.Config) {
	first := configs[0].Journal
	if o.Configured {
		o.On, o.Full = first.Mode != "off", first.Mode == "full"
	}
	if o.Size == 0 {
		o.Size = first.Size
	}
	if o.Age == 0 {
		o.Age = first.Age
	}
	o.Redact = slices.Clone(o.Redact)
	for _, cfg := range configs {
		for _, r := range cfg.Journal.Redact {
			o.Redact = append(o.Redact, r.Rule)
		}
	}
}

// journalMistakes are the rules of redaction that are none.
func journalMistakes(cfg *wrangler.Config) (list wrangler.Diagnostics) {
	for _, r := range cfg.Journal.Redact {
		if _, err := journal.ParseRules([]string{r.Rule}); err != nil {
			list = append(list, cfg.Diagnose(r.Pos, wrangler.Error, "\"journal.redact\" has "+err.Error()+".",
				"write a path of names with dots between them, or header:NAME"))
		}
	}
	return list
}

// rules checks the options and reads the rules of Redact, nil for none.
func (o JournalOptions) rules() (*journal.Rules, error) {
	if o.OTLP != "" {
		if err := otlp.Check(o.OTLP); err != nil {
			return nil, fmt.Errorf("otlp %w", err)
		}
		if !o.On {
			return nil, errors.New("otlp: what is not recorded cannot be sent; the journal is off")
		}
	}
	if o.Size < 0 || o.Age < 0 {
		return nil, errors.New("journal: the size and the age are above 0")
	}
	if len(o.Redact) == 0 {
		return nil, nil
	}
	rules, err := journal.ParseRules(o.Redact)
	if err != nil {
		return nil, fmt.Errorf("redact %w", err)
	}
	return rules, nil
}
