package session

import (
	"fmt"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// openSite reads the rules of a configuration's assets directory; nil for none.
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

// filesOnlyEntry is the script of a Worker that has assets and no script of its own. The files answer every request.
func (s *Session) filesOnlyEntry() (string, error) {
	path := s.state.FilesOnlyScript()
	if err := statedir.Replace(path,
		[]byte("export default { fetch: () => new Response(null, { status: 404 }) };\n")); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return path, nil
}

// siteBindings is the binding of the assets, if the configuration names one.
func siteBindings(g *generation) []worker.Binding {
	if g.site == nil || g.config.Assets.Binding == "" {
		return nil
	}
	return []worker.Binding{assets.Binding{Key: g.config.Assets.Binding, Site: g.site}}
}
