package wrangler

import (
	"maps"
	"slices"
)

// Add puts what another configuration of the same Worker says over this one: bindings win by their names, consumers by
// their queues, and single values if they are given. Dates, limits and what concerns the server stay.
func (c *Config) Add(more *Config) {
	if more.Name != "" {
		c.Name = more.Name
	}
	if more.Main != "" {
		c.Main = more.Main
	}
	for _, flag := range more.CompatibilityFlags {
		if !slices.Contains(c.CompatibilityFlags, flag) {
			c.CompatibilityFlags = append(slices.Clone(c.CompatibilityFlags), flag)
		}
	}
	c.Vars = over(c.Vars, more.Vars, func(v Var) string { return v.Name })
	c.KVNamespaces = over(c.KVNamespaces, more.KVNamespaces, func(b KVNamespace) string { return b.Binding })
	c.D1Databases = over(c.D1Databases, more.D1Databases, func(b D1Database) string { return b.Binding })
	c.R2Buckets = over(c.R2Buckets, more.R2Buckets, func(b R2Bucket) string { return b.Binding })
	c.Services = over(c.Services, more.Services, func(b Service) string { return b.Binding })
	c.RateLimits = over(c.RateLimits, more.RateLimits, func(b RateLimit) string { return b.Name })
	c.AnalyticsEngine = over(c.AnalyticsEngine, more.AnalyticsEngine,
		func(b AnalyticsEngineDataset) string { return b.Binding })
	c.Hyperdrive = over(c.Hyperdrive, more.Hyperdrive, func(b Hyperdrive) string { return b.Binding })
	c.Workflows = over(c.Workflows, more.Workflows, func(b Workflow) string {
		if b.Binding == "" {
			return "exports." + b.ClassName
		}
		return b.Binding
	})
	c.SecretsStore = over(c.SecretsStore, more.SecretsStore, func(b SecretsStoreSecret) string { return b.Binding })
	c.Blobs = over(c.Blobs, more.Blobs, func(b BoundFile) string { return b.Name })
	c.Queues.Producers = over(c.Queues.Producers, more.Queues.Producers, func(p Producer) string { return p.Binding })
	c.Queues.Consumers = over(c.Queues.Consumers, more.Queues.Consumers, func(p Consumer) string { return p.Queue })
	c.TailConsumers = over(c.TailConsumers, more.TailConsumers, func(t TailConsumer) string { return t.Service })
	c.DurableObjects = over(c.DurableObjects, more.DurableObjects, func(d DurableObject) string { return d.Name })
	for _, class := range more.Classes {
		if _, known := c.Class(class.Name); !known {
			c.Classes = append(slices.Clone(c.Classes), class)
		}
	}
	for _, lineage := range more.Lineages {
		if !slices.ContainsFunc(c.Lineages, func(l Lineage) bool { return l.Origin == lineage.Origin }) {
			c.Lineages = append(slices.Clone(c.Lineages), lineage)
		}
	}
	if more.VersionMetadata != nil {
		c.VersionMetadata = more.VersionMetadata
	}
	if more.Assets != nil {
		if c.Assets == nil {
			c.Assets = more.Assets
		} else {
			both := *c.Assets
			if more.Assets.Directory != "" {
				both.Directory = more.Assets.Directory
			}
			if more.Assets.Binding != "" {
				both.Binding = more.Assets.Binding
			}
			c.Assets = &both
		}
	}
	if len(more.Build.Define) > 0 {
		define := maps.Clone(c.Build.Define)
		if define == nil {
			define = map[string]string{}
		}
		maps.Copy(define, more.Build.Define)
		c.Build.Define = define
	}
	c.Build.Rules = append(slices.Clone(more.Build.Rules), c.Build.Rules...)
}

// over is a list with the entries of another, which win by name.
func over[T any](list, more []T, name func(T) string) []T {
	if len(more) == 0 {
		return list
	}
	list = slices.Clone(list)
	for _, m := range more {
		if i := slices.IndexFunc(list, func(x T) bool { return name(x) == name(m) }); i >= 0 {
			list[i] = m
		} else {
			list = append(list, m)
		}
	}
	return list
}
