package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/bindings/kv"
	"eddy/runtime/bundle"
	"eddy/runtime/report"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// openSite reads the rules of a configuration's assets directory; nil if it has none.
func openSite(cfg *wrangler.Config) (*assets.Site, error) {
	if cfg.Assets == nil || cfg.Assets.Directory == "" {
		return nil, nil
	}
	flags, err := flagsOf(cfg)
	if err != nil {
		return nil, err
	}
	return assets.New(cfg.Assets, assets.Options{
		NavigationPrefersAssets: flags.Enabled("assets_navigation_prefers_asset_serving"), Alone: cfg.Main == "",
	})
}

// warnOfRules tells the lines of _headers and _redirects that do not count.
func (s *Session) warnOfRules(site *assets.Site) {
	if site == nil {
		return
	}
	for _, m := range site.Mistakes() {
		s.lines.Line(report.Warn, "assets",
			fmt.Sprintf("%s:%d: %q is left out: %s", s.relative(m.File), m.Line, m.Text, m.Why))
	}
}

// filesOnlyEntry is the path of the script of a Worker that has assets and no script of its own. The assets answer
// every request.
func (s *Session) filesOnlyEntry() (string, error) {
	path := s.state.FilesOnlyScript()
	if err := statedir.Replace(path,
		[]byte("export default { fetch: () => new Response(null, { status: 404 }) };\n")); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return path, nil
}

// siteFiles are the files of a Workers Site, nil if there is none. A pattern matches anywhere in a path, as in wrangler
// dev.
func siteFiles(cfg *wrangler.Config) *kv.Files {
	if cfg.Site == nil {
		return nil
	}
	include, exclude := sitePatterns(cfg.Site.Include), sitePatterns(cfg.Site.Exclude)
	return kv.NewFiles(cfg.Site.Bucket, func(path string) bool {
		if len(cfg.Site.Include) > 0 {
			return include.match(path)
		}
		return !exclude.match(path)
	})
}

// sitePattern are globs; a "!" in front takes back what the others match.
type sitePattern struct{ with, without []*regexp.Regexp }

func sitePatterns(globs []string) (p sitePattern) {
	for _, glob := range globs {
		list := &p.with
		if rest, ok := strings.CutPrefix(glob, "!"); ok {
			glob, list = rest, &p.without
		}
		pattern := strings.TrimSuffix(strings.TrimPrefix(bundle.GlobPattern(glob, true), "^"), "$")
		*list = append(*list, regexp.MustCompile(pattern))
	}
	return p
}

func (p sitePattern) match(path string) bool {
	in := func(list []*regexp.Regexp) bool {
		return slices.ContainsFunc(list, func(r *regexp.Regexp) bool { return r.MatchString(path) })
	}
	return !in(p.without) && in(p.with)
}

// manifestModule is the name of the module whose text maps the paths of a Workers Site's files to their keys.
const manifestModule = "__STATIC_CONTENT_MANIFEST"

// contentBindings are the bindings of a Workers Site. In the service-worker format the manifest is a global, otherwise
// it is a module.
func contentBindings(g *generation) ([]worker.Binding, error) {
	files := siteFiles(g.config)
	if files == nil {
		return nil, nil
	}
	list := []worker.Binding{kv.SiteBinding{Files: files}}
	if g.bundle.Format == bundle.FormatServiceWorker {
		manifest, err := files.Manifest()
		if err != nil {
			return nil, err
		}
		list = append(list, worker.Var{Key: manifestModule, JSON: manifest})
	}
	return list, nil
}

// manifest makes the module called manifestModule.
func manifest(files *kv.Files) worker.Module {
	return func(iso *worker.Isolate) (*goja.Object, error) {
		text, err := files.Manifest()
		if err != nil {
			return nil, err
		}
		ns := iso.Runtime().NewObject()
		return ns, ns.Set("default", text)
	}
}

// siteBindings is the binding of the assets, if the configuration names one.
func siteBindings(g *generation) []worker.Binding {
	if g.site == nil || g.config.Assets.Binding == "" {
		return nil
	}
	return []worker.Binding{assets.Binding{Key: g.config.Assets.Binding, Site: g.site}}
}
