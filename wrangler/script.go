package wrangler

import (
	"path/filepath"
	"time"
)

// LoadScript is Load for a Worker that has no configuration file: Options.Main is its entry, dir stands for the
// directory of the file. Everything has its default; Config.Path is empty.
func LoadScript(dir string, opts Options) (*Config, Diagnostics) {
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
	src := newSource("", "{}", JSONC)
	cfg.src = src
	s := &scope{reader: &reader{src: src, rep: &rep}, top: decodeJSONC(src, &rep)}
	s.readInto(cfg)
	cfg.applyOptions(s, opts)
	s.checkWhole(cfg, opts)
	for i := range rep.found {
		// There is no file to show a line of.
		d := &rep.found[i]
		d.Line, d.Column, d.Width, d.LineText = 0, 0, 0, ""
	}
	return cfg, rep.sorted()
}
