package session

import (
	"errors"
	"net/http"
	"os"
	"sync"

	"eddy/runtime/bindings/analytics"
	"eddy/runtime/bindings/browser"
	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/pipeline"
	"eddy/runtime/bindings/r2"
	"eddy/runtime/bindings/ratelimit"
	"eddy/runtime/bindings/secretsstore"
	"eddy/runtime/bindings/vectorize"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/statedir"
	"eddy/runtime/webapi/caches"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// stores are the cache and the D1 databases, KV namespaces, R2 buckets, rate limiters and stores of secrets of the
// session. All Workers and generations share one of each id. Any goroutine.
type stores struct {
	state   statedir.Dir
	clock   clock.Clock
	relaxed bool
	// kept has what a cluster keeps, and away is the way to a store of it; nil outside of one.
	kept *objects.Shipped
	away func(objectstore.Name) objectstore.Way

	mu         sync.Mutex // guards what follows
	databases  map[string]*d1.Database
	namespaces map[string]*kv.Store
	buckets    map[string]*r2.Bucket
	limiters   map[string]*ratelimit.Limiter
	secrets    map[string]*secretsstore.Store
	vectors    map[string]*vectorize.VectorIndex
	// served are those of a cluster that other nodes, or this one, have asked for.
	served map[objectstore.Name]objectstore.Service
	// cache is that of the Cache API (RT13), made for the first Worker that starts.
	cache *caches.Disk
	// browsers are those of Browser bindings by setting.
	browsers map[string]*browser.Browsers
	// points are the data points of all datasets, nil if no Worker has one.
	points *analytics.Store
	// failed is told of data points that could not be written.
	failed func(error)
}

// browsersOf are the browsers of a setting, which names a program or an address.
func (st *stores) browsersOf(setting string) *browser.Browsers {
	st.mu.Lock()
	defer st.mu.Unlock()
	if setting == "" {
		setting = os.Getenv("EDDY_BROWSER")
	}
	if st.browsers == nil {
		st.browsers = map[string]*browser.Browsers{}
	}
	if st.browsers[setting] == nil {
		st.browsers[setting] = browser.New(browser.Options{Setting: setting, Profiles: st.state.Browsers(),
			Clock: st.clock})
	}
	return st.browsers[setting]
}

// dataPoints is the file of all datasets.
func (st *stores) dataPoints() *analytics.Store {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.dataPointsLocked()
}

func (st *stores) dataPointsLocked() *analytics.Store {
	if st.points == nil {
		st.points = analytics.New(analytics.Options{Path: st.state.Analytics(), Clock: st.clock, Failed: st.failed})
	}
	return st.points
}

// cacheStore is the store of the Cache API that all Workers of the session share.
func (st *stores) cacheStore() *caches.Disk {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.cache == nil {
		st.cache = caches.NewDisk(st.state.Cache(), 0)
	}
	return st.cache
}

// bindings are a Worker's D1 databases, KV namespaces and R2 buckets.
func (st *stores) bindings(cfg *wrangler.Config) []worker.Binding {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.databases == nil {
		st.databases, st.namespaces, st.buckets = map[string]*d1.Database{}, map[string]*kv.Store{},
			map[string]*r2.Bucket{}
	}
	var list []worker.Binding
	for _, b := range cfg.D1Databases {
		if st.away != nil {
			list = append(list, d1.Binding{Key: b.Binding, Database: d1.AwayDatabase{Clock: st.clock,
				Way: st.away(objectstore.Name{Kind: "d1", ID: b.DatabaseID})}})
			continue
		}
		if st.databases[b.DatabaseID] == nil {
			st.databases[b.DatabaseID] = d1.New(d1.Options{Path: d1.Path(st.state, b.DatabaseID), Clock: st.clock,
				Relaxed: st.relaxed})
		}
		list = append(list, d1.Binding{Key: b.Binding, Database: st.databases[b.DatabaseID]})
	}
	for _, b := range cfg.KVNamespaces {
		if st.away != nil {
			list = append(list, kv.Binding{Key: b.Binding, Store: kv.AwayNamespace{
				Way: st.away(objectstore.Name{Kind: "kv", ID: b.ID})}})
			continue
		}
		if st.namespaces[b.ID] == nil {
			index, values := kv.Paths(st.state, b.ID)
			st.namespaces[b.ID] = kv.New(kv.Options{Index: index, Values: values, Clock: st.clock, Relaxed: st.relaxed})
		}
		list = append(list, kv.Binding{Key: b.Binding, Store: st.namespaces[b.ID]})
	}
	for _, b := range cfg.R2Buckets {
		if st.away != nil {
			list = append(list, r2.Binding{Key: b.Binding, Bucket: r2.AwayBucket{
				Way: st.away(objectstore.Name{Kind: "r2", ID: b.BucketName})}})
			continue
		}
		if st.buckets[b.BucketName] == nil {
			st.buckets[b.BucketName] = r2.New(r2.Options{State: st.state, Name: b.BucketName, Clock: st.clock,
				Relaxed: st.relaxed})
		}
		list = append(list, r2.Binding{Key: b.Binding, Bucket: st.buckets[b.BucketName]})
	}
	return list
}

// secretsStore is the store with an id.
func (st *stores) secretsStore(id string) *secretsstore.Store {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.secrets == nil {
		st.secrets = map[string]*secretsstore.Store{}
	}
	if st.secrets[id] == nil {
		o := secretsstore.Options{State: st.state, ID: id, Clock: st.clock, Relaxed: st.relaxed}
		if st.away != nil {
			o.Way = st.away(objectstore.Name{Kind: secretsstore.Kind, ID: id})
		}
		st.secrets[id] = secretsstore.New(o)
	}
	return st.secrets[id]
}

// vectorIndex is the vector index of a name; on one machine, what the first binding of it says of it counts.
func (st *stores) vectorIndex(name string, set wrangler.StandIn) http.Handler {
	if st.away != nil {
		return vectorize.AwayIndex{Way: st.away(objectstore.Name{Kind: "vectorize", ID: name}),
			Dimensions: set.Dimensions, Metric: set.Metric}
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.vectors == nil {
		st.vectors = map[string]*vectorize.VectorIndex{}
	}
	if st.vectors[name] == nil {
		st.vectors[name] = vectorize.New(vectorize.Options{Path: st.state.Vectorize(name), Dimensions: set.Dimensions,
			Metric: set.Metric, Clock: st.clock, Relaxed: st.relaxed})
	}
	return st.vectors[name]
}

// pipeline takes the records of a pipeline.
func (st *stores) pipeline(name string) http.Handler {
	if st.away != nil {
		return pipeline.Away{Way: st.away(objectstore.Name{Kind: "pipelines", ID: name})}
	}
	return &pipeline.File{Path: st.state.Pipeline(name)}
}

func (st *stores) close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	var errs []error
	for _, d := range st.databases {
		errs = append(errs, d.Close())
	}
	for _, n := range st.namespaces {
		errs = append(errs, n.Close())
	}
	for _, b := range st.buckets {
		errs = append(errs, b.Close())
	}
	for _, x := range st.secrets {
		errs = append(errs, x.Close())
	}
	for _, x := range st.vectors {
		errs = append(errs, x.Close())
	}
	for _, svc := range st.served {
		errs = append(errs, svc.Close())
	}
	for _, b := range st.browsers {
		errs = append(errs, b.Close())
	}
	if st.points != nil {
		errs = append(errs, st.points.Close())
	}
	for id, l := range st.limiters {
		errs = append(errs, l.Save(st.state.RateLimit(id)))
	}
	return errors.Join(errs...)
}

// clear empties everything.
func (st *stores) clear() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	var errs []error
	for _, d := range st.databases {
		errs = append(errs, d.Clear())
	}
	for _, n := range st.namespaces {
		errs = append(errs, n.Clear())
	}
	for _, b := range st.buckets {
		errs = append(errs, b.Clear())
	}
	for _, x := range st.secrets {
		errs = append(errs, x.Clear())
	}
	for _, x := range st.vectors {
		errs = append(errs, x.Clear())
	}
	if st.points != nil {
		errs = append(errs, st.points.Clear())
	}
	st.forgetRatesLocked()
	if st.cache != nil {
		errs = append(errs, st.cache.Clear())
	}
	return errors.Join(errs...)
}

// forgetRates lets the rate limiters count anew.
func (st *stores) forgetRates() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.forgetRatesLocked()
}

func (st *stores) forgetRatesLocked() {
	for _, l := range st.limiters {
		l.Clear()
	}
}
