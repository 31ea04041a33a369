package session

import "eddy/wrangler"

// Given is a Worker whose configuration is not a file alone.
type Given struct {
	// Path is its configuration file, "" for none; then Dir stands for the file's directory.
	Path, Dir string
	Env       string
	// CompatibilityDate replaces that of the file, unless it is "".
	CompatibilityDate string
	// More is a configuration as JSON that wins over the file's, "" for none. Its paths start at MoreDir.
	More, MoreDir string
	// Fallback is the entry of a Worker whose configuration names none; "" makes that a mistake.
	Fallback string
	// Adjust, if set, has the last word.
	Adjust func(*wrangler.Config)
}

// load reads the configuration with the options of its path.
func (g *Given) load(o wrangler.Options) (*wrangler.Config, wrangler.Diagnostics) {
	var cfg *wrangler.Config
	var diags wrangler.Diagnostics
	o.RequireMain = o.RequireMain && g.More == ""
	switch {
	case g.Path != "":
		cfg, diags = wrangler.Load(g.Path, o)
	case g.More != "":
		o.Env, o.Environ = "", nil
		cfg, diags = wrangler.LoadText(g.MoreDir, g.More, o)
	default:
		cfg, diags = wrangler.LoadText(g.Dir, "{}", o)
	}
	if g.Path != "" && g.More != "" {
		// What is said of the whole is said of the file.
		more, wrong := wrangler.LoadText(g.MoreDir, g.More,
			wrangler.Options{Now: o.Now, CompatibilityDate: "2024-01-01"})
		diags = append(diags, wrong.Errors()...)
		cfg.Add(more)
	}
	if cfg.Main == "" {
		cfg.Main = g.Fallback
	}
	if g.Adjust != nil {
		g.Adjust(cfg)
	}
	return cfg, diags
}
