package wrangler

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// BindingKind names a kind of entry in env by the section it is configured in.
type BindingKind string

const (
	VarBinding             BindingKind = "vars"
	SecretBinding          BindingKind = "secrets"
	QueueBinding           BindingKind = "queues"
	DurableObjectBinding   BindingKind = "durable_objects"
	ServiceBinding         BindingKind = "services"
	KVBinding              BindingKind = "kv_namespaces"
	D1Binding              BindingKind = "d1_databases"
	R2Binding              BindingKind = "r2_buckets"
	AnalyticsEngineBinding BindingKind = "analytics_engine_datasets"
	RateLimitBinding       BindingKind = "ratelimits"
	WorkflowBinding        BindingKind = "workflows"
	VersionMetadataBinding BindingKind = "version_metadata"
	AssetsBinding          BindingKind = "assets"
	SecretsStoreBinding    BindingKind = "secrets_store_secrets"
	SendEmailBinding       BindingKind = "send_email"
	WorkerLoaderBinding    BindingKind = "worker_loaders"
	HyperdriveBinding      BindingKind = "hyperdrive"
	WasmModuleBinding      BindingKind = "wasm_modules"
	TextBlobBinding        BindingKind = "text_blobs"
	DataBlobBinding        BindingKind = "data_blobs"
)

// KVNamespace binds a KV namespace.
type KVNamespace struct {
	Binding string
	ID      string // preview_id if given, else id; the binding's name if neither is, as local state is named by it
	Remote  bool
	Pos     Pos
}

// D1Database binds a D1 database.
type D1Database struct {
	Binding         string
	DatabaseID      string // preview_database_id if given, else database_id, else the binding's name
	DatabaseName    string
	MigrationsDir   string // absolute; default "migrations"
	MigrationsTable string // default "d1_migrations"
	Remote          bool
	Pos             Pos
}

// R2Bucket binds an R2 bucket.
type R2Bucket struct {
	Binding      string
	BucketName   string // preview_bucket_name if given, else bucket_name, else the binding's name
	Jurisdiction string
	Remote       bool
	Pos          Pos
}

// AnalyticsEngineDataset binds a dataset to write data points to.
type AnalyticsEngineDataset struct {
	Binding string
	Dataset string // default: the binding's name
	Pos     Pos
}

// RateLimit binds a rate limiter: at most Limit calls in Period seconds for each key.
type RateLimit struct {
	Name        string
	NamespaceID string
	Limit       int
	Period      int // seconds, 10 or 60
	Pos         Pos
}

// Workflow binds a workflow class.
type Workflow struct {
	// Binding is "" for one that only the exports section declares.
	Binding    string
	Name       string
	ClassName  string
	ScriptName string // "" for this Worker
	// Exported says that the exports section declares it, so that ctx.exports has it under the name of its class.
	Exported bool
	// Steps is limits.steps, 0 for the default.
	Steps int
	// Concurrency is concurrency.limit, how many instances run at once; 0 for the default.
	Concurrency int
	// Schedules start instances at their times.
	Schedules []Cron
	// SuccessRetention and ErrorRetention are how long ended instances stay, 0 for the default.
	SuccessRetention, ErrorRetention time.Duration
	Pos                              Pos
}

// VersionMetadata binds the description of the running version.
type VersionMetadata struct {
	Binding string
	Pos     Pos
}

// SecretsStoreSecret binds a secret of an account-wide store.
type SecretsStoreSecret struct {
	Binding    string
	StoreID    string
	SecretName string
	Pos        Pos
}

// SendEmail binds an outgoing mail channel.
type SendEmail struct {
	Name                string
	Destination         string
	AllowedDestinations []string
	AllowedSenders      []string
	Pos                 Pos
}

// WorkerLoader binds a loader of Workers from code.
type WorkerLoader struct {
	Binding string
	Pos     Pos
}

// Hyperdrive binds a database behind a connection pool.
type Hyperdrive struct {
	Binding               string
	ID                    string
	LocalConnectionString string
	Pos                   Pos
}

// BoundFile is a file bound into env of a service-worker format Worker.
type BoundFile struct {
	Kind BindingKind // WasmModuleBinding, TextBlobBinding or DataBlobBinding
	Name string
	Path string // absolute
	Pos  Pos
}

// UnservedBinding is an entry in env of a kind that no local implementation is planned for. It is kept so that the
// runtime can list it at start and make its use fail by name.
type UnservedBinding struct {
	Kind     BindingKind
	Name     string
	Resource string // what it points at, for the list at start; may be empty
	// Outbound is the Worker that the requests of a dispatch namespace's members go to, "" for none; its env has the
	// parameters of these names that get() was given.
	Outbound   string
	Parameters []string
	Pos        Pos
}

// ContainerBinding is a container attached to a Durable Object class: the one that names the class, or that the class's
// entry in exports names.
type ContainerBinding struct {
	Name      string
	ClassName string
	// Image is the one that runs, nil if start() names one of Named.
	Image *ContainerImage
	Named map[string]ContainerImage
	Pos   Pos
}

// ContainerImage is where the image of a container comes from.
type ContainerImage struct {
	// Dockerfile and Context are absolute paths, Vars the build arguments.
	Dockerfile, Context string
	Vars                map[string]string
	// Reference names an image of a registry, if Dockerfile is "".
	Reference string
}

// Binding is one entry in env, of whatever kind.
type Binding struct {
	Kind     BindingKind
	Name     string
	Resource string // what it points at, for people
	Pos      Pos
}

// Friendly is the reference's name for the kind, e.g. "KV Namespace".
func (k BindingKind) Friendly() string {
	if name, ok := friendlyNames[k]; ok {
		return name
	}
	return string(k)
}

// friendlyNames are the words of the reference's binding table and of its messages about duplicates (K-14).
var friendlyNames = map[BindingKind]string{
	VarBinding: "Environment Variable", SecretBinding: "Environment Variable", QueueBinding: "Queue",
	DurableObjectBinding: "Durable Object", ServiceBinding: "Worker", KVBinding: "KV Namespace",
	D1Binding: "D1 Database", R2Binding: "R2 Bucket", AnalyticsEngineBinding: "Analytics Engine Dataset",
	RateLimitBinding: "Rate Limit", WorkflowBinding: "Workflow", VersionMetadataBinding: "Worker Version Metadata",
	AssetsBinding: "Assets", SecretsStoreBinding: "Secrets Store Secret", SendEmailBinding: "Send Email",
	WorkerLoaderBinding: "Worker Loader", HyperdriveBinding: "Hyperdrive Config", WasmModuleBinding: "Wasm Module",
	TextBlobBinding: "Text Blob", DataBlobBinding: "Data Blob",
	"vectorize": "Vectorize Index", "ai": "AI", "browser": "Browser Run", "images": "Images", "stream": "Stream",
	"media": "Media", "mtls_certificates": "mTLS Certificate", "dispatch_namespaces": "Dispatch Namespace",
	"pipelines": "Pipeline", "logfwdr": "logfwdr", "unsafe": "Unsafe Metadata", "artifacts": "Artifacts",
	"unsafe_hello_world": "Hello World", "flagship": "Flagship", "vpc_services": "VPC Service",
	"vpc_networks": "VPC Network", "k2": "K2 Stream", "agent_memory": "Agent Memory", "analytics": "Analytics SQL",
	"ai_search": "AI Search Instance", "ai_search_namespaces": "AI Search Namespace",
}

// BindingKinds are all kinds, in the order of their keys.
func BindingKinds() []BindingKind { return slices.Sorted(maps.Keys(friendlyNames)) }

// Bindings lists every entry of env in the order of the reference's table: objects and storage first, vars last. A name
// that is not a valid identifier is listed as it is.
func (c *Config) Bindings() []Binding {
	var all []Binding
	add := func(kind BindingKind, name, resource string, pos Pos) {
		if name != "" {
			all = append(all, Binding{Kind: kind, Name: name, Resource: resource, Pos: pos})
		}
	}
	for _, b := range c.DurableObjects {
		resource := b.ClassName
		if b.ScriptName != "" {
			resource += ", defined in " + b.ScriptName
		}
		add(DurableObjectBinding, b.Name, resource, b.Pos)
	}
	for _, b := range c.Workflows {
		add(WorkflowBinding, b.Binding, b.ClassName, b.Pos)
	}
	for _, b := range c.KVNamespaces {
		add(KVBinding, b.Binding, b.ID, b.Pos)
	}
	for _, b := range c.Queues.Producers {
		add(QueueBinding, b.Binding, b.Queue, b.Pos)
	}
	for _, b := range c.SendEmail {
		add(SendEmailBinding, b.Name, b.Destination, b.Pos)
	}
	for _, b := range c.D1Databases {
		add(D1Binding, b.Binding, firstNonEmpty(b.DatabaseName, b.DatabaseID), b.Pos)
	}
	for _, b := range c.R2Buckets {
		add(R2Binding, b.Binding, b.BucketName, b.Pos)
	}
	for _, b := range c.Hyperdrive {
		add(HyperdriveBinding, b.Binding, b.ID, b.Pos)
	}
	for _, b := range c.Services {
		resource := b.Service
		if b.Entrypoint != "" {
			resource += "#" + b.Entrypoint
		}
		add(ServiceBinding, b.Binding, resource, b.Pos)
	}
	for _, b := range c.AnalyticsEngine {
		add(AnalyticsEngineBinding, b.Binding, b.Dataset, b.Pos)
	}
	for _, b := range c.SecretsStore {
		add(SecretsStoreBinding, b.Binding, b.StoreID+"/"+b.SecretName, b.Pos)
	}
	for _, b := range c.WorkerLoaders {
		add(WorkerLoaderBinding, b.Binding, "", b.Pos)
	}
	for _, b := range c.RateLimits {
		add(RateLimitBinding, b.Name, fmt.Sprintf("%d requests/%ds", b.Limit, b.Period), b.Pos)
	}
	if b := c.VersionMetadata; b != nil {
		add(VersionMetadataBinding, b.Binding, "", b.Pos)
	}
	if b := c.Assets; b != nil {
		add(AssetsBinding, b.Binding, "", b.Pos)
	}
	for _, b := range c.Unserved {
		add(b.Kind, b.Name, b.Resource, b.Pos)
	}
	for _, b := range c.Blobs {
		add(b.Kind, b.Name, b.Path, b.Pos)
	}
	for _, v := range c.Vars {
		kind, resource := VarBinding, v.JSON
		if v.JSON == "" {
			resource = quoteJSON(v.Text)
		}
		if v.Secret {
			kind, resource = SecretBinding, `"(hidden)"`
		}
		add(kind, v.Name, resource, v.Pos)
	}
	return all
}

func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
