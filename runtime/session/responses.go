package session

import (
	"eddy/runtime/webapi/caches"
	"eddy/wrangler"
)

// responsesOf is the cache in front of a generation, nil if the configuration enables none. As in production each
// version has its own, unless cross_version_cache says otherwise (BIND-164).
func (svc *service) responsesOf(cfg *wrangler.Config) *caches.Responses {
	switch {
	case !cfg.Cache:
		return nil
	case !cfg.CrossVersionCache:
		return &caches.Responses{}
	case svc.responses == nil:
		svc.responses = &caches.Responses{}
	}
	return svc.responses
}
