package wrangler

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Overrides are flags of the command line that stand in for keys of the configuration. Paths are relative to
// Options.WorkingDir. The zero value changes nothing.
type Overrides struct {
	Assets      string   // --assets: the directory of assets.directory
	NoBundle    *bool    // --no-bundle
	Minify      *bool    // --minify
	Define      []string // --define NAME:EXPRESSION, added to define
	Alias       []string // --alias MODULE:MODULE, added to alias
	JSXFactory  string   // --jsx-factory
	JSXFragment string   // --jsx-fragment
	TSConfig    string   // --tsconfig

	Routes           []string // --route, --routes: instead of those of the file
	Host             string   // --host, or --local-upstream: dev.host
	UpstreamProtocol string   // --upstream-protocol: dev.upstream_protocol
	// KeepOrigin is --infer-origin-from-routes=false: requests keep the address that the client used.
	KeepOrigin bool

	Site        string   // --site: site.bucket
	SiteInclude []string // --site-include
	SiteExclude []string // --site-exclude
}

// applyOverrides puts flags in the place of what the file says.
func (c *Config) applyOverrides(s *scope, opts Options) {
	o := opts.Overrides
	if o.Assets != "" {
		if c.Assets == nil {
			c.Assets = &Assets{HTMLHandling: "auto-trailing-slash", NotFoundHandling: "none"}
		} else {
			copied := *c.Assets
			c.Assets = &copied
		}
		c.Assets.Directory = opts.flagPath(o.Assets)
	}
	if o.NoBundle != nil {
		if c.Build.NoBundle != *o.NoBundle {
			c.Build.FindAdditionalModules = *o.NoBundle
		}
		c.Build.NoBundle = *o.NoBundle
	}
	if o.Minify != nil {
		c.Build.Minify = *o.Minify
	}
	c.Build.Define = s.addPairs(c.Build.Define, "--define", "NAME:EXPRESSION", o.Define)
	c.Build.Alias = s.addPairs(c.Build.Alias, "--alias", "MODULE:REPLACEMENT", o.Alias)
	c.Build.JSXFactory = firstNonEmpty(o.JSXFactory, c.Build.JSXFactory)
	c.Build.JSXFragment = firstNonEmpty(o.JSXFragment, c.Build.JSXFragment)
	if o.TSConfig != "" {
		c.Build.TSConfig = opts.flagPath(o.TSConfig)
	}
	if len(o.Routes) > 0 {
		c.Routes = nil
		for _, pattern := range o.Routes {
			c.Routes = append(c.Routes, Route{Pattern: pattern})
		}
	}
	c.Dev.Host = firstNonEmpty(o.Host, c.Dev.Host)
	c.Dev.UpstreamProtocol = firstNonEmpty(o.UpstreamProtocol, c.Dev.UpstreamProtocol)
	c.Dev.KeepOrigin = o.KeepOrigin
	if o.Site != "" {
		c.Site = &SiteSection{Bucket: opts.flagPath(o.Site)}
	}
	if c.Site != nil && (len(o.SiteInclude) > 0 || len(o.SiteExclude) > 0) {
		copied := *c.Site
		if len(o.SiteInclude) > 0 {
			copied.Include = o.SiteInclude
		}
		if len(o.SiteExclude) > 0 {
			copied.Exclude = o.SiteExclude
		}
		c.Site = &copied
	}
}

// flagPath makes the path of a flag absolute.
func (o *Options) flagPath(path string) string {
	if !filepath.IsAbs(path) && o.WorkingDir != "" {
		path = filepath.Join(o.WorkingDir, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// addPairs adds NAME:VALUE pairs of a flag to a section of the file. The value is everything behind the first colon.
func (s *scope) addPairs(section map[string]string, flag, form string, pairs []string) map[string]string {
	if len(pairs) == 0 {
		return section
	}
	out := make(map[string]string, len(section)+len(pairs))
	for name, value := range section {
		out[name] = value
	}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, ":")
		if !ok || name == "" {
			s.rep.add(Diagnostic{
				Severity: Error, Text: fmt.Sprintf("%s should be %s but got %q.", flag, form, pair),
				Fix: "write " + flag + " " + form})
			continue
		}
		out[name] = value
	}
	return out
}
