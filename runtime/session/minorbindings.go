package session

import (
	"fmt"
	"os"

	"github.com/dop251/goja"

	"eddy/runtime/bindings/analytics"
	"eddy/runtime/bindings/ratelimit"
	"eddy/runtime/engine/wasm"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// minorBindings are Rate Limits, Analytics Engine datasets, and the files of the service-worker format.
func (s *Session) minorBindings(cfg *wrangler.Config) ([]worker.Binding, error) {
	var list []worker.Binding
	st := &s.stores
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.limiters == nil {
		st.limiters = map[string]*ratelimit.Limiter{}
	}
	for _, r := range cfg.RateLimits {
		if st.limiters[r.NamespaceID] == nil {
			l := ratelimit.New(s.opts.Clock)
			if err := l.Load(s.state.RateLimit(r.NamespaceID)); err != nil {
				return nil, fmt.Errorf("the calls that rate limit %s has counted: %w", r.Name, err)
			}
			st.limiters[r.NamespaceID] = l
		}
		list = append(list, ratelimit.Binding{Key: r.Name, Limiter: st.limiters[r.NamespaceID], Limit: r.Limit,
			Period: r.Period})
	}
	for _, a := range cfg.AnalyticsEngine {
		list = append(list, analytics.Binding{Key: a.Binding, Dataset: a.Dataset, Store: st.dataPointsLocked()})
	}
	for _, b := range cfg.Blobs {
		content, err := os.ReadFile(b.Path)
		if err != nil {
			return nil, &ConfigError{Dir: s.opts.Dir, Diagnostics: wrangler.Diagnostics{cfg.Diagnose(b.Pos,
				wrangler.Error, fmt.Sprintf("%s of %s cannot be read: %v", b.Name, b.Kind, err),
				"name a file that exists")}}
		}
		list = append(list, blob{b, content})
	}
	return list, nil
}

// blob is a file of wasm_modules, text_blobs or data_blobs: a global of the service-worker format.
type blob struct {
	wrangler.BoundFile
	content []byte
}

// Name implements [worker.Binding].
func (b blob) Name() string { return b.BoundFile.Name }

// Install implements [worker.Binding].
func (b blob) Install(iso *worker.Isolate) (goja.Value, error) {
	rt := iso.Runtime()
	switch b.Kind {
	case wrangler.WasmModuleBinding:
		return wasm.Module(iso.Host, b.Path, b.content), nil
	case wrangler.TextBlobBinding:
		return rt.ToValue(string(b.content)), nil
	}
	return rt.ToValue(rt.NewArrayBuffer(append([]byte(nil), b.content...))), nil
}
