package wrangler

import "time"

// Language is the language of a configuration file.
type Language string

const (
	JSON  Language = "json"
	JSONC Language = "jsonc"
	TOML  Language = "toml"
)

// Config is the configuration of one Worker for one environment, with all defaults filled in and all paths absolute.
// It is not changed after Load returned it.
type Config struct {
	Path   string // the file that was read; after a redirect the generated one
	Dir    string // its directory: relative paths in the file start here
	Format Language

	// ProjectDir is the directory of the user's own configuration. It differs from Dir after a redirect; dotenv
	// files and the state directory lie here (DEV4).
	ProjectDir string

	flagPos map[string]Pos // where compatibility flags are listed

	Env          string   // the active environment, "" for the top level
	Environments []string // all environments of the file
	TopLevelName string   // name without environment

	Name               string // of the Worker, with the environment appended; "" if the file gives none
	Main               string // entry file, absolute; "" if there is none (assets only)
	CompatibilityDate  string // YYYY-MM-DD; never empty: today if the file gives none (RT17)
	CompatibilityFlags []string
	AccountID          string

	Vars            []Var    // vars, secrets and --var, each name once, in order of first appearance (DEV1, DEV2)
	RequiredSecrets []string // secrets.required
	SecretFiles     []string // the dotenv files that were read
	// AbsentSecretFiles are the dotenv files that would have been read if they were there.
	AbsentSecretFiles []string

	Queues         QueuesSection
	DurableObjects []DurableObject // bindings
	Classes        []Class         // Durable Object classes of this Worker with their storage (CL8, CL9, CL10)
	Lineages       []Lineage       // which objects those classes and deleted ones have (CL9)
	Migrations     []Migration
	Exports        []Export
	Services       []Service
	Triggers       Triggers

	KVNamespaces    []KVNamespace
	D1Databases     []D1Database
	R2Buckets       []R2Bucket
	AnalyticsEngine []AnalyticsEngineDataset
	RateLimits      []RateLimit
	Workflows       []Workflow
	VersionMetadata *VersionMetadata
	Assets          *Assets
	SecretsStore    []SecretsStoreSecret
	SendEmail       []SendEmail
	WorkerLoaders   []WorkerLoader
	Hyperdrive      []Hyperdrive
	Blobs           []BoundFile        // wasm_modules, text_blobs and data_blobs of service-worker format
	Unserved        []UnservedBinding  // binding kinds without a typed list
	Containers      []ContainerBinding // containers attached to Durable Object classes

	TailConsumers          []TailConsumer
	StreamingTailConsumers []TailConsumer
	// Access is nil without a section access.dev. Cache says that a cache is in front of the Worker, CrossVersionCache
	// that it outlives reloads.
	Access                   *Visitors
	Cache, CrossVersionCache bool

	Build BuildOptions
	Dev   Dev
	Site  *SiteSection

	Limits        Limits
	Routes        []Route
	WorkersDev    *bool
	PreviewURLs   *bool
	Logpush       *bool
	Placement     string // JSON text of the section, "" if absent; has no effect locally
	Observability string // JSON text of the section, "" if absent; has no effect locally

	// StandIns are what eddy's own file says of bindings, by name; SettingsFile is its path, "" if there is none.
	StandIns     map[string]StandIn
	SettingsFile string
	// Journal is what eddy's own file says of the journal.
	Journal JournalSettings

	src *source // for diagnostics that are found later; nil if the file could not be read
}

// Var is one string or JSON value in env.
type Var struct {
	Name   string
	Text   string // the value, when JSON is empty
	JSON   string // the value as JSON text with key order kept, when it is not a string (DEV1)
	Secret bool   // from a dotenv file or --var: shown as "(hidden)"
	Source string // absolute path of the file the value came from, or "--var"
	Pos    Pos    // zero when it came from no file
}

// QueuesSection is the queues section.
type QueuesSection struct {
	Producers []Producer
	Consumers []Consumer // each queue at most once
}

// Producer binds a queue for sending (K-12).
type Producer struct {
	Binding       string
	Queue         string
	DeliveryDelay *time.Duration // P-32: applied as the queue's default delay; nil if not given
	Remote        bool
	Pos           Pos
}

// ConsumerType tells push from pull consumers.
type ConsumerType string

const (
	PushConsumer ConsumerType = "worker"
	PullConsumer ConsumerType = "http_pull"
)

// Consumer is the consumer of one queue, with production's defaults (K-1 to K-7, X-1).
type Consumer struct {
	Queue             string
	Type              ConsumerType
	MaxBatchSize      int           // 1 to 100; default 10
	MaxBatchTimeout   time.Duration // 0 to 60 s; default 5 s
	MaxRetries        int           // 0 to 100; default 3
	RetryDelay        time.Duration // 0 to 24 h; default 0
	DeadLetterQueue   string        // "" for none
	MaxConcurrency    int           // 1 to 250; 0 lets the backlog decide (K-6)
	VisibilityTimeout time.Duration // 0 to 12 h; default 30 s; pull consumers only
	Pos               Pos
}

// DurableObject binds a namespace.
type DurableObject struct {
	Name        string
	ClassName   string
	ScriptName  string // the Worker that has the class; "" for this one
	Environment string // of ScriptName
	Pos         Pos
}

// Class is a Durable Object class that this Worker implements.
type Class struct {
	Name   string
	SQLite bool // storage with SQL; otherwise key-value storage only
	Bound  bool // false for a class that is only in migrations or exports; it has storage all the same (CL10)
	Pos    Pos
}

// Migration is one step of the migrations list.
type Migration struct {
	Tag                string
	NewClasses         []string
	NewSQLiteClasses   []string
	RenamedClasses     []Rename
	DeletedClasses     []string
	TransferredClasses []Transfer
	Pos                Pos
}

// Rename is an entry of renamed_classes.
type Rename struct{ From, To string }

// Transfer is an entry of transferred_classes: class From of Worker FromScript becomes class To of this one.
type Transfer struct{ From, FromScript, To string }

// Export is an entry of the exports section, the declarative form of migrations.
type Export struct {
	Name      string // of the exported class
	Type      string // "durable-object", "worker" or "workflow"
	State     string // of a durable-object: created, deleted, renamed, transferred or expecting-transfer
	SQLite    bool
	RenamedTo string
	// TransferFrom is the Worker that an expecting class comes from.
	TransferFrom string
	// Container is the name of the class's container, "" for none.
	Container string
	Pos       Pos
}

// Service binds another Worker, or a named entrypoint of it.
type Service struct {
	Binding     string
	Service     string
	Environment string
	Entrypoint  string // "" for the default export
	Props       string // JSON text for ctx.props; "" for none
	Remote      bool
	Pos         Pos
}

// Triggers is the triggers section.
type Triggers struct {
	Crons []Cron
}

// Limits is the limits section.
type Limits struct {
	CPUMillis   float64 // 0 for the platform's default
	Subrequests int     // 0 for the platform's default
}

// Route is an entry of route or routes. Only the pattern matters locally.
type Route struct {
	Pattern      string
	ZoneName     string
	ZoneID       string
	CustomDomain bool
	Pos          Pos
}

// TailConsumer is a Worker that receives this one's traces.
type TailConsumer struct {
	Service     string
	Environment string
	Pos         Pos
}

// Dev is the dev section: defaults of the server that command line options override.
type Dev struct {
	IP               string // default localhost
	Port             int    // 0 for the default
	InspectorPort    int    // 0 for the default
	InspectorIP      string
	LocalProtocol    string // http or https
	UpstreamProtocol string // http or https
	Host             string
	NoContainers     bool   // containers do not run
	ContainerEngine  string // the place of the container engine, as unix:///var/run/docker.sock; "" for the usual ones
	KeepOrigin       bool   // requests keep the address that the client used; no host is taken from the routes
}

// SiteSection is the deprecated site section.
type SiteSection struct {
	Bucket  string // absolute directory
	Include []string
	Exclude []string
	Pos     Pos
}

// Class returns the class called name.
func (c *Config) Class(name string) (Class, bool) {
	for _, class := range c.Classes {
		if class.Name == name {
			return class, true
		}
	}
	return Class{}, false
}

// Consumer returns the consumer of a queue.
func (c *Config) Consumer(queue string) (Consumer, bool) {
	for _, consumer := range c.Queues.Consumers {
		if consumer.Queue == queue {
			return consumer, true
		}
	}
	return Consumer{}, false
}

// Diagnose builds a diagnostic about a place of this configuration that was found after loading, for example that a
// bound class is not exported by the entry file. A pos of another file, or the zero Pos, gives one without a frame.
func (c *Config) Diagnose(pos Pos, severity Severity, text, fix string, notes ...string) Diagnostic {
	if c.src == nil || pos.File != c.src.path {
		return Diagnostic{
			Severity: severity, File: pos.File, Line: pos.Line, Column: pos.Column, Width: 1, Text: text, Fix: fix,
			Notes: notes}
	}
	offset := c.src.offsetOf(pos)
	return at(c.src, span{offset, offset + 1}, severity, text, fix, notes...)
}

// FlagPos is where a compatibility flag is listed, zero for one of the command line.
func (c *Config) FlagPos(flag string) Pos { return c.flagPos[flag] }

// HasFlag reports whether a compatibility flag is listed.
func (c *Config) HasFlag(flag string) bool { return contains(c.CompatibilityFlags, flag) }
