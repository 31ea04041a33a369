package wrangler

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"eddy/runtime/lazyregexp"
)

var (
	workerName = lazyregexp.New(`^[a-z0-9_][a-z0-9-_]*$`)
	dashes     = strings.NewReplacer("–", "-", "—", "-")
)

// fileName is the base name of the configuration, for messages.
func (c *Config) fileName() string { return filepath.Base(c.Path) }

// abs makes a path of the configuration absolute. "" stays "".
func (c *Config) abs(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, filepath.FromSlash(path))
}

// scalar reads a top-level key that is a single value, as if it were the member of an object.
func (s *scope) scalar(key string, read func(o *object, key string)) {
	e, ok := s.lookup(key)
	if !ok {
		return
	}
	o := &object{reader: s.reader, path: strings.TrimSuffix(strings.TrimSuffix(e.path, key), "."), n: s.top}
	if e.own {
		o.n = s.env
	}
	read(o, key)
}

// readIdentity reads name, main and account_id.
func (s *scope) readIdentity(cfg *Config) {
	s.scalar("name", func(o *object, key string) { cfg.Name = s.workerName(o, key) })
	cfg.TopLevelName = s.topLevelName()
	// The environment's own name is taken as it is; the inherited one gets the environment appended (DEV3).
	if s.name != "" && cfg.Name != "" && (s.env == nil || s.env.get("name") == nil) {
		cfg.Name += "-" + s.name
	}
	s.scalar("main", func(o *object, key string) { cfg.Main = cfg.abs(o.text(key)) })
	s.scalar("account_id", func(o *object, key string) { cfg.AccountID = o.text(key) })
	if e, ok := s.lookup("env"); ok {
		if o, ok := s.open(e.path, e.value, fieldPhrase); ok {
			cfg.Environments = o.n.keys()
		}
	}
	for _, removed := range []struct{ key, instead string }{
		{"legacy_env", "remove it: every environment is a Worker of its own, named <name>-<environment>"},
		{"node_compat", "use the `nodejs_compat` compatibility flag: " +
			s.assign("compatibility_flags", `["nodejs_compat"]`)},
	} {
		if e, ok := s.lookup(removed.key); ok && !s.redirected {
			s.errorAt(e.value.span, fmt.Sprintf("The %q field is no longer supported.", removed.key), removed.instead)
		}
	}
}

// topLevelName is the name without environment. A generated configuration carries it in a key of its own.
func (s *scope) topLevelName() string {
	key := "name"
	if s.redirected {
		key = "topLevelName"
	}
	if v := s.top.get(key); v != nil && v.kind == stringNode {
		return v.text
	}
	return ""
}

func (s *scope) workerName(o *object, key string) string {
	v := o.n.get(key)
	if v.kind == stringNode && (v.text == "" || workerName.MatchString(v.text)) {
		return v.text
	}
	fix := "write a name such as " + o.assign(key, `"my-worker"`)
	if v.kind == stringNode {
		if better := strings.Trim(notInWorkerName().ReplaceAllString(strings.ToLower(v.text), "-"), "-"); better != "" {
			fix = "write " + o.assign(key, quoteJSON(better))
		}
	}
	s.errorAt(v.span,
		fmt.Sprintf("Expected %q to be of type string, alphanumeric and lowercase with dashes only but got %s.",
			o.pathOf(key), v.shortJSON()), fix)
	return ""
}

var notInWorkerName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^a-z0-9_-]+`)
})

// readCompatibility reads compatibility_date and compatibility_flags.
func (s *scope) readCompatibility(cfg *Config) {
	s.scalar("compatibility_date", func(o *object, key string) { cfg.CompatibilityDate = s.compatibilityDate(o, key) })
	s.scalar("compatibility_flags", func(o *object, key string) {
		cfg.CompatibilityFlags = o.texts(key)
		for _, item := range o.n.get(key).elements() {
			if cfg.flagPos == nil {
				cfg.flagPos = map[string]Pos{}
			}
			cfg.flagPos[item.text] = s.src.pos(item.span.start)
		}
	})
}

func (s *scope) compatibilityDate(o *object, key string) string {
	date := o.text(key)
	if date == "" {
		return ""
	}
	v := o.n.get(key)
	plain := dashes.Replace(date)
	if plain != date {
		s.errorAt(v.span,
			fmt.Sprintf("%q field should use ISO-8601 accepted hyphens (-) rather than en-dashes (–) or em-dashes (—).",
				o.pathOf(key)), "write "+o.assign(key, quoteJSON(plain)))
	}
	if _, err := time.Parse(time.DateOnly, plain); err != nil {
		s.errorAt(v.span,
			fmt.Sprintf("%q field should be a valid ISO-8601 date (YYYY-MM-DD), but got %s.", o.pathOf(key),
				v.shortJSON()),
			"write a date such as "+o.assign(key, `"2026-04-01"`))
		return ""
	}
	return plain
}

// applyOptions lets the command line override the file, and settles the compatibility date (RT17).
func (c *Config) applyOptions(s *scope, opts Options) {
	if opts.Name != "" {
		c.Name = opts.Name
	}
	if opts.Main != "" {
		c.Main = opts.flagPath(opts.Main)
	}
	c.applyOverrides(s, opts)
	if len(opts.CompatibilityFlags) > 0 {
		c.CompatibilityFlags, c.flagPos = opts.CompatibilityFlags, nil
	}
	today := opts.Now.UTC().Format(time.DateOnly)
	if opts.CompatibilityDate != "" {
		c.CompatibilityDate = opts.CompatibilityDate
		if _, err := time.Parse(time.DateOnly, opts.CompatibilityDate); err != nil {
			s.rep.add(Diagnostic{
				Severity: Error,
				Text: fmt.Sprintf(
					"--compatibility-date should be a valid ISO-8601 date (YYYY-MM-DD), but got %q.",
					opts.CompatibilityDate),
				Fix: "write --compatibility-date=" + today})
			return
		}
	}
	e, ok := s.lookup("compatibility_date")
	switch {
	case c.CompatibilityDate > today:
		d := Diagnostic{Severity: Error}
		if opts.CompatibilityDate == "" && ok {
			d = at(s.src, e.value.span, Error, "", "")
		}
		d.Text = fmt.Sprintf("Compatibility date %q is in the future and unsupported", c.CompatibilityDate)
		d.Fix = "write today's date or an earlier one: " + s.assign("compatibility_date", quoteJSON(today))
		s.rep.add(d)
	case c.CompatibilityDate == "":
		if !ok {
			fix := "add " + s.assign("compatibility_date", quoteJSON(today))
			notes, moved := s.swallowed("compatibility_date")
			if moved != "" {
				fix = moved
			}
			s.warnAt(s.top.span, fmt.Sprintf("No compatibility_date was specified. Using today's date: %s.", today),
				fix,
				append([]string{"Without a date, the Worker may behave differently tomorrow."}, notes...)...)
		}
		c.CompatibilityDate = today
	}
	c.readSecrets(s, opts)
}
