package wrangler

import (
	"fmt"
	"path/filepath"
	"strings"
)

// readVars reads vars and secrets.required. Dotenv files and --var come later, in readSecrets.
func (s *scope) readVars(cfg *Config) {
	if e, ok := s.lookup("vars"); ok {
		if o, ok := s.open(e.path, e.value, fieldPhrase); ok {
			for _, name := range o.n.keys() {
				f, _ := o.n.field(name)
				if v, ok := s.readVar(e, f); ok {
					cfg.Vars = append(cfg.Vars, v)
				}
			}
			s.warnMissingNames(e)
		}
	}
	if e, ok := s.lookup("secrets"); ok {
		if o, ok := s.open(e.path, e.value, fieldPhrase); ok {
			cfg.RequiredSecrets = append([]string{}, o.texts("required")...)
			o.finish()
		}
	}
}

func (s *scope) readVar(e setting, f field) (Var, bool) {
	v := Var{Name: f.key, Source: s.src.path, Pos: s.src.pos(f.keySpan.start)}
	if date := findDate(f.value); date != nil {
		fix := "put the value in quotes: " + s.assign(f.key, quoteJSON(date.text))
		if date != f.value {
			fix = "put the date in quotes: " + quoteJSON(date.text)
		}
		s.errorAt(date.span,
			fmt.Sprintf("The field %q is a TOML date, which is not supported. Please use a string instead.",
				e.path+"."+f.key), fix)
		return v, false
	}
	if f.value.kind == stringNode {
		v.Text = f.value.text
	} else {
		v.JSON = f.value.json()
	}
	return v, true
}

// findDate returns the first TOML date inside a value, or nil. JSON has no form for dates.
func findDate(n *node) *node {
	if n.kind == dateNode {
		return n
	}
	for _, item := range n.items {
		if date := findDate(item); date != nil {
			return date
		}
	}
	for _, f := range n.fields {
		if date := findDate(f.value); date != nil {
			return date
		}
	}
	return nil
}

// readSecrets adds what is not in the configuration file itself (DEV2): the values of the dotenv files, which win
// over vars of the same name but not over other bindings, and --var, which wins over everything.
func (c *Config) readSecrets(s *scope, opts Options) {
	loaded, found := c.loadDotenv(s.rep, opts)
	given := make(map[string]bool)
	for _, option := range opts.Vars {
		name, _, _ := strings.Cut(option, ":")
		given[name] = true
	}
	taken := make(map[string]bool)
	for _, b := range c.Bindings() {
		taken[b.Name] = taken[b.Name] || b.Kind != VarBinding && b.Kind != SecretBinding
	}
	declared := c.RequiredSecrets != nil
	for _, v := range loaded {
		// With a secrets section only declared names are let in; without one, all that the files have.
		if taken[v.Name] || declared && !contains(c.RequiredSecrets, v.Name) && !c.hasVar(v.Name) {
			continue
		}
		c.setVar(v)
	}
	for _, name := range c.RequiredSecrets {
		if !given[name] && !contains(found, name) {
			s.missingSecret(c, name)
		}
	}
	for _, option := range opts.Vars {
		c.setOptionVar(s.rep, option)
	}
}

func (s *scope) missingSecret(c *Config, name string) {
	where := s.top.span
	if e, ok := s.lookup("secrets"); ok {
		for _, item := range e.value.get("required").elements() {
			if item.text == name {
				where = item.span
			}
		}
	}
	s.warnAt(where, fmt.Sprintf("Missing required secrets: %s.", name),
		fmt.Sprintf("add %s=... to %s", name, filepath.Join(c.ProjectDir, ".dev.vars")),
		"Add them to .dev.vars, .env, or set as environment variables.")
}

// setOptionVar applies one --var NAME:VALUE. The value is everything behind the first colon.
func (c *Config) setOptionVar(rep *report, option string) {
	name, value, ok := strings.Cut(option, ":")
	if !ok || name == "" {
		rep.add(Diagnostic{Severity: Error, Text: fmt.Sprintf("--var should be NAME:VALUE but got %q.", option),
			Fix: "write --var NAME:VALUE"})
		return
	}
	c.setVar(Var{Name: name, Text: value, Secret: true, Source: "--var"})
}

func (c *Config) hasVar(name string) bool {
	for _, v := range c.Vars {
		if v.Name == name {
			return true
		}
	}
	return false
}

// setVar puts a value in place of the one with the same name, or at the end.
func (c *Config) setVar(v Var) {
	for i := range c.Vars {
		if c.Vars[i].Name == v.Name {
			c.Vars[i] = v
			return
		}
	}
	c.Vars = append(c.Vars, v)
}
