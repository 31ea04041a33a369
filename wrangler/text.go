package wrangler

import (
	"path/filepath"
	"time"
)

// LoadText is Load for a configuration that is no file: text is JSON, dir stands for the directory of the file.
// Config.Path is empty, and diagnostics have no place.
func LoadText(dir, text string, opts Options) (*Config, Diagnostics) {
	var rep report
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if opts.Now.IsZero() {
		opts.Now = time.Now()
	}
	if opts.Env == "" {
		opts.Env = opts.environ("CLOUDFLARE_ENV")
	}
	cfg := &Config{Dir: dir, ProjectDir: dir, Env: opts.Env, Format: JSONC}
	if opts.Env != "" {
		rep.add(Diagnostic{
			Severity: Error,
			Text:     "There is no environment " + quoteJSON(opts.Env) + ": the Worker has no configuration file.",
			Fix:      "leave --env out, or write a wrangler.jsonc with an \"env\" section"})
		return cfg, rep.sorted()
	}
	src := newSource("", text, JSONC)
	cfg.src = src
	if root := decodeJSONC(src, &rep); root != nil {
		s := &scope{reader: &reader{src: src, rep: &rep}, top: root}
		s.readInto(cfg)
		cfg.applyOptions(s, opts)
		s.checkWhole(cfg, opts)
	}
	for i := range rep.found {
		// There is no file to show a line of.
		d := &rep.found[i]
		d.Line, d.Column, d.Width, d.LineText = 0, 0, 0, ""
	}
	return cfg, rep.sorted()
}
