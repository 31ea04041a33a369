package runtime

import (
	"fmt"
	"os"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/bindings/analytics"
	"eddy/runtime/bindings/ratelimit"
	"eddy/runtime/report"
	"eddy/runtime/wasm"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// limiters are the session's rate limiters, one for each namespace_id for all Workers and generations.
type limiters struct {
	mu   sync.Mutex
	byID map[string]*ratelimit.Limiter // guarded by mu
	// told says for which datasets it was said that nothing is kept.
	told sync.Map
}

// minorBindings are Rate Limits, Analytics Engine datasets, and the files of the service-worker format.
func (s *Server) minorBindings(cfg *wrangler.Config) ([]worker.Binding, error) {
	var list []worker.Binding
	l := &s.state.limiters
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]*ratelimit.Limiter{}
	}
	for _, r := range cfg.RateLimits {
		if l.byID[r.NamespaceID] == nil {
			l.byID[r.NamespaceID] = ratelimit.New(s.clock)
		}
		list = append(list, ratelimit.Binding{Key: r.Name, Limiter: l.byID[r.NamespaceID], Limit: r.Limit, Period: r.Period})
	}
	for _, a := range cfg.AnalyticsEngine {
		list = append(list, analytics.Binding{Key: a.Binding, First: func() {
			if _, told := l.told.LoadOrStore(a.Dataset, true); !told {
				s.report.Line(report.Info, "analytics", fmt.Sprintf("Data points of %s are taken and not kept: Analytics Engine has no local counterpart.", a.Dataset), report.F("dataset", a.Dataset))
			}
		}})
	}
	for _, b := range cfg.Blobs {
		content, err := os.ReadFile(b.Path)
		if err != nil {
			return nil, &ConfigError{Dir: s.dir, Diagnostics: wrangler.Diagnostics{cfg.Diagnose(b.Pos, wrangler.Error, fmt.Sprintf("%s of %s cannot be read: %v", b.Name, b.Kind, err), "name a file that exists")}}
		}
		list = append(list, blob{b, content})
	}
	return list, nil
}

// blob is a file of wasm_modules, text_blobs or data_blobs: a global of the service-worker format.
type blob struct {
	wrangler.Blob
	content []byte
}

// Name implements [worker.Binding].
func (b blob) Name() string { return b.Blob.Name }

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
