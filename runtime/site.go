package runtime

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/report"
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
	return assets.New(cfg.Assets, assets.Options{NavigationPrefersAssets: flags.Enabled("assets_navigation_prefers_asset_serving")})
}

// filesOnlyEntry is the script of a Worker that has assets and no script of its own. The files answer every request.
func (s *Server) filesOnlyEntry() (string, error) {
	path := s.state.v3("eddy", "files-only.js")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	if err := os.WriteFile(path, []byte("export default { fetch: () => new Response(null, { status: 404 }) };\n"), 0o666); err != nil {
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

// fromFiles answers a request that is for the assets; ok is false for the Worker's.
func (g *generation) fromFiles(r *http.Request) (res *http.Response, ok bool, err error) {
	switch {
	case g.site == nil:
		return nil, false, nil
	case g.config.Main == "":
		res, err = g.site.Handle(r)
		return res, true, err
	}
	return g.site.First(r)
}

// sendFile writes the answer of the assets and reports the status.
func (f front) sendFile(w http.ResponseWriter, r *http.Request, res *http.Response, err error) int {
	if err != nil {
		f.svc.server.report.Line(report.Error, "request", fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err), report.F("worker", f.svc.name))
		http.Error(w, "The asset cannot be read.", http.StatusInternalServerError)
		return http.StatusInternalServerError
	}
	defer res.Body.Close()
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	if _, ok := res.Header["Content-Type"]; !ok {
		w.Header()["Content-Type"] = nil // net/http would guess one
	}
	w.WriteHeader(res.StatusCode)
	if _, err := io.Copy(w, res.Body); err != nil {
		return 0 // the client is gone
	}
	return res.StatusCode
}
