package wrangler

import (
	"fmt"
	"regexp"
	"sync"
)

// eachBinding opens the elements of a section that is an array of bindings and reports unknown members of each.
func (s *scope) eachBinding(kind BindingKind, read func(o *object)) {
	e, ok := s.lookup(string(kind))
	if !ok {
		return
	}
	for _, o := range s.openAll(e.path, e.value, bindingPhrase) {
		read(o)
		o.finish()
	}
	s.warnMissingNames(e)
}

// remote reads the flag that asks for the deployed resource in place of a local one.
func (o *object) remote() bool {
	wanted := o.flag("remote")
	if wanted {
		o.warnAt(o.spanOf("remote"),
			fmt.Sprintf("%q asks for the remote resource, but everything runs locally here.", o.path),
			"remove it, or fill the local resource with the data you need")
	}
	return wanted
}

// readStorage reads the bindings of storage products. Local state is named by the preview id where there is one, as
// in the reference, and by the binding where the file gives no id at all.
func (s *scope) readStorage(cfg *Config) {
	s.eachBinding(KVBinding, func(o *object) {
		b := KVNamespace{Binding: o.require("binding", "MY_KV"), Pos: o.pos()}
		id, preview := o.nonEmpty("id"), o.text("preview_id")
		b.ID, b.Remote = firstNonEmpty(preview, id, b.Binding), o.remote()
		cfg.KVNamespaces = append(cfg.KVNamespaces, b)
	})
	s.eachBinding(D1Binding, func(o *object) {
		b := D1Database{Binding: o.require("binding", "DB"), DatabaseName: o.text("database_name"), Pos: o.pos()}
		id, preview := o.text("database_id"), o.text("preview_database_id")
		b.DatabaseID = firstNonEmpty(preview, id, b.Binding)
		b.MigrationsDir = cfg.abs(firstNonEmpty(o.text("migrations_dir"), "migrations"))
		b.MigrationsTable = firstNonEmpty(o.text("migrations_table"), "d1_migrations")
		b.Remote = o.remote()
		o.accept("jurisdiction", "migrations_pattern", "database_internal_env")
		cfg.D1Databases = append(cfg.D1Databases, b)
	})
	s.eachBinding(R2Binding, func(o *object) {
		b := R2Bucket{Binding: o.require("binding", "MY_BUCKET"), Jurisdiction: o.text("jurisdiction"), Pos: o.pos()}
		name, preview := o.bucketName("bucket_name"), o.bucketName("preview_bucket_name")
		b.BucketName, b.Remote = firstNonEmpty(preview, name, b.Binding), o.remote()
		o.accept("local_dev")
		cfg.R2Buckets = append(cfg.R2Buckets, b)
	})
	s.eachBinding(AnalyticsEngineBinding, func(o *object) {
		b := AnalyticsEngineDataset{Binding: o.require("binding", "MY_DATASET"), Pos: o.pos()}
		b.Dataset = firstNonEmpty(o.nonEmpty("dataset"), b.Binding)
		o.remote()
		cfg.AnalyticsEngine = append(cfg.AnalyticsEngine, b)
	})
	s.eachBinding(HyperdriveBinding, func(o *object) {
		cfg.Hyperdrive = append(
			cfg.Hyperdrive, Hyperdrive{
				Binding: o.require("binding", "MY_DB"), ID: o.require("id", "00000000000000000000000000000000"),
				LocalConnectionString: o.text("localConnectionString"), Pos: o.pos()})
		o.remote()
	})
}

var bucketName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`)
})

func (o *object) bucketName(key string) string {
	name := o.nonEmpty(key)
	if name != "" && !bucketName().MatchString(name) {
		o.errorAt(o.spanOf(key), fmt.Sprintf("%s.%s=%s is invalid. Bucket names must begin and end with an "+
			"alphanumeric character, only contain lowercase letters, numbers, and hyphens, and be between 3 and 63 "+
			"characters long.",
			o.path, key, quoteJSON(name)), "write a name such as "+o.assign(key, `"my-bucket"`))
		return ""
	}
	return name
}
