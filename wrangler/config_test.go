package wrangler

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// loadText writes text to a file called name in a new directory and loads it. Errors fail the test.
func loadText(t *testing.T, name, text string, opts Options) *Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	writeFile(t, path, text)
	return mustLoad(t, path, opts)
}

func mustLoad(t *testing.T, path string, opts Options) *Config {
	t.Helper()
	if opts.Now.IsZero() {
		opts.Now = today
	}
	cfg, found := Load(path, opts)
	if found.HasErrors() {
		t.Fatalf("load %s: %v", path, found.Err())
	}
	return cfg
}

// ignorePlaces compares configurations by what they say, not by where they say it.
var ignorePlaces = cmp.Options{
	cmpopts.IgnoreTypes(Pos{}), cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Cron{}, "Schedule"),
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(Config{}, "Path", "Format"), cmpopts.IgnoreFields(Var{}, "Source"),
}

const fullJSONC = `{
  // comments and trailing commas are fine
  "$schema": "node_modules/wrangler/config-schema.json",
  "name": "shop", "main": "src/index.ts", "account_id": "acc",
  "compatibility_date": "2026-04-01", "compatibility_flags": ["nodejs_compat"],
  "vars": { "TEXT": "a", "NUM": 5, "LIST": [1, "b"], "OBJ": { "z": 1, "a": true }, "YES": true },
  "queues": {
    "producers": [{ "binding": "ORDERS", "queue": "orders", "delivery_delay": 3 }, { "binding": "MAIL_QUEUE" }],
    "consumers": [{ "queue": "orders", "max_batch_size": 100, "max_batch_timeout": 0.5, "max_retries": 0,
      "retry_delay": 60,
      "dead_letter_queue": "orders-dlq", "max_concurrency": 2, "visibility_timeout_ms": 5000 }],
  },
  "durable_objects": { "bindings": [
    { "name": "COUNTER", "class_name": "Counter" },
    { "name": "REMOTE", "class_name": "Room", "script_name": "chat", "environment": "prod" },
  ] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Counter"], "new_classes": ["Old"] }],
  "services": [{ "binding": "AUTH", "service": "auth", "entrypoint": "Admin", "props": { "b": 1, "a": [2] } }],
  "triggers": { "crons": ["0 6 * * SUN", "*/5 9-17 * JAN-MAR MON-FRI", "0 0 L * 2#1"] },
  "kv_namespaces": [{ "binding": "KV", "id": "k1", "preview_id": "k2" }, { "binding": "KV2" }],
  "d1_databases": [{ "binding": "DB", "database_name": "db", "database_id": "d1" }],
  "r2_buckets": [{ "binding": "FILES", "bucket_name": "files" }],
  "analytics_engine_datasets": [{ "binding": "AE" }],
  "ratelimits": [{ "name": "RL", "namespace_id": "1", "simple": { "limit": 10, "period": 60 } }],
  "workflows": [{ "binding": "WF", "name": "wf", "class_name": "Flow" }],
  "version_metadata": { "binding": "VERSION" },
  "assets": { "directory": "public", "binding": "ASSETS", "run_worker_first": ["/api/*"] },
  "secrets_store_secrets": [{ "binding": "SS", "store_id": "s", "secret_name": "n" }],
  "hyperdrive": [{ "binding": "HD", "id": "h" }],
  "send_email": [{ "name": "MAIL" }],
  "worker_loaders": [{ "binding": "LOADER" }],
  "ai": { "binding": "AI" },
  "vectorize": [{ "binding": "VEC", "index_name": "idx" }],
  "tail_consumers": [{ "service": "tail" }],
  "wasm_modules": { "WASM": "a.wasm" },
  "limits": { "cpu_ms": 50 },
  "routes": ["example.com/*", { "pattern": "x.example", "custom_domain": true }],
  "alias": { "foo": "./bar" }, "define": { "V": "1" }, "minify": true, "no_bundle": false,
  "rules": [{ "type": "Text", "globs": ["**/*.md"], "fallthrough": true }],
  "build": { "command": "make", "watch_dir": ["src", "lib"] },
  "dev": { "port": 9000, "local_protocol": "https" },
}`

const fullTOML = `
"$schema" = "node_modules/wrangler/config-schema.json"
name = "shop"
main = 'src/index.ts'
account_id = "acc"
compatibility_date = "2026-04-01"
compatibility_flags = [
  "nodejs_compat", # comment
]
minify = true
no_bundle = false
tail_consumers = [{ service = "tail" }]
routes = ["example.com/*", { pattern = "x.example", custom_domain = true }]
version_metadata.binding = "VERSION"
alias.foo = "./bar"

[vars]
TEXT = "a"
NUM = 5
LIST = [1, "b"]
OBJ = { z = 1, a = true }
YES = true

[[queues.producers]]
binding = "ORDERS"
queue = "orders"
delivery_delay = 3

[[queues.producers]]
binding = "MAIL_QUEUE"

[[queues.consumers]]
queue = "orders"
max_batch_size = 0x64
max_batch_timeout = 5e-1
max_retries = 0
retry_delay = 6_0
dead_letter_queue = "orders-dlq"
max_concurrency = 2
visibility_timeout_ms = 5_000

[durable_objects]
bindings = [
  { name = "COUNTER", class_name = "Counter" },
  { name = "REMOTE", class_name = "Room", script_name = "chat", environment = "prod" },
]

[[migrations]]
tag = "v1"
new_sqlite_classes = ["Counter"]
new_classes = ["Old"]

[[services]]
binding = "AUTH"
service = "auth"
entrypoint = "Admin"
props = { b = 1, a = [2] }

[triggers]
crons = ["0 6 * * SUN", "*/5 9-17 * JAN-MAR MON-FRI", "0 0 L * 2#1"]

[[kv_namespaces]]
binding = "KV"
id = "k1"
preview_id = "k2"
[[kv_namespaces]]
binding = "KV2"

[[d1_databases]]
binding = "DB"
database_name = "db"
database_id = "d1"

[[r2_buckets]]
binding = "FILES"
bucket_name = "files"

[[analytics_engine_datasets]]
binding = "AE"

[[ratelimits]]
name = "RL"
namespace_id = "1"
simple = { limit = 10, period = 60 }

[[workflows]]
binding = "WF"
name = "wf"
class_name = "Flow"

[assets]
directory = "public"
binding = "ASSETS"
run_worker_first = ["/api/*"]

[[secrets_store_secrets]]
binding = "SS"
store_id = "s"
secret_name = "n"

[[hyperdrive]]
binding = "HD"
id = "h"

[[send_email]]
name = "MAIL"

[[worker_loaders]]
binding = "LOADER"

[ai]
binding = "AI"

[[vectorize]]
binding = "VEC"
index_name = "idx"

[wasm_modules]
WASM = "a.wasm"

[limits]
cpu_ms = 50

[define]
V = "1"

[[rules]]
type = "Text"
globs = ["**/*.md"]
fallthrough = true

[build]
command = "make"
watch_dir = ["src", "lib"]

[dev]
port = 9000
local_protocol = "https"
`

// TestFormatsAgree loads the same configuration from all formats (Z0-16).
func TestFormatsAgree(t *testing.T) {
	dir := t.TempDir()
	var configs []*Config
	for name, text := range map[string]string{
		"wrangler.jsonc": fullJSONC, "wrangler.toml": fullTOML, "wrangler.json": "\ufeff" + fullJSONC} {
		path := filepath.Join(dir, name)
		writeFile(t, path, text)
		configs = append(configs, mustLoad(t, path, Options{}))
	}
	for _, other := range configs[1:] {
		if diff := cmp.Diff(configs[0], other, ignorePlaces); diff != "" {
			t.Errorf("%s and %s differ:\n%s", configs[0].Format, other.Format, diff)
		}
	}
}

func TestConfigValues(t *testing.T) {
	cfg := loadText(t, "wrangler.jsonc", fullJSONC, Options{})
	abs := func(path string) string { return filepath.Join(cfg.Dir, path) }
	delay := 3 * time.Second
	yes := true
	want := &Config{
		Dir: cfg.Dir, ProjectDir: cfg.Dir, TopLevelName: "shop", Name: "shop", Main: abs("src/index.ts"),
		AccountID:         "acc",
		CompatibilityDate: "2026-04-01", CompatibilityFlags: []string{"nodejs_compat"},
		Vars: []Var{{Name: "TEXT", Text: "a"}, {Name: "NUM", JSON: "5"}, {Name: "LIST", JSON: `[1,"b"]`},
			{Name: "OBJ", JSON: `{"z":1,"a":true}`}, {Name: "YES", JSON: "true"}},
		AbsentSecretFiles: []string{abs(".dev.vars"), abs(".env"), abs(".env.local")},
		Queues: QueuesSection{
			Producers: []Producer{
				{Binding: "ORDERS", Queue: "orders", DeliveryDelay: &delay},
				{Binding: "MAIL_QUEUE", Queue: "shop-mail-queue"}},
			Consumers: []Consumer{
				{Queue: "orders", Type: PushConsumer, MaxBatchSize: 100, MaxBatchTimeout: 500 * time.Millisecond,
					RetryDelay:      time.Minute,
					DeadLetterQueue: "orders-dlq", MaxConcurrency: 2, VisibilityTimeout: 5 * time.Second}},
		},
		DurableObjects: []DurableObject{{Name: "COUNTER", ClassName: "Counter"},
			{Name: "REMOTE", ClassName: "Room", ScriptName: "chat", Environment: "prod"}},
		Classes: []Class{{Name: "Old"}, {Name: "Counter", SQLite: true, Bound: true}},
		Lineages: []Lineage{{Origin: "Old", Names: []ClassRef{{Name: "Old"}}, Listed: true, Tag: "v1"},
			{Origin: "Counter", Names: []ClassRef{{Name: "Counter"}}, SQLite: true, Listed: true, Tag: "v1"}},
		Migrations: []Migration{{Tag: "v1", NewClasses: []string{"Old"}, NewSQLiteClasses: []string{"Counter"}}},
		Services:   []Service{{Binding: "AUTH", Service: "auth", Entrypoint: "Admin", Props: `{"b":1,"a":[2]}`}},
		Triggers: Triggers{
			Crons: []Cron{{Expr: "0 6 * * SUN"}, {Expr: "*/5 9-17 * JAN-MAR MON-FRI"}, {Expr: "0 0 L * 2#1"}}},
		KVNamespaces: []KVNamespace{{Binding: "KV", ID: "k2"}, {Binding: "KV2", ID: "KV2"}},
		D1Databases: []D1Database{
			{Binding: "DB", DatabaseID: "d1", DatabaseName: "db", MigrationsDir: abs("migrations"),
				MigrationsTable: "d1_migrations"}},
		R2Buckets:       []R2Bucket{{Binding: "FILES", BucketName: "files"}},
		AnalyticsEngine: []AnalyticsEngineDataset{{Binding: "AE", Dataset: "AE"}},
		RateLimits:      []RateLimit{{Name: "RL", NamespaceID: "1", Limit: 10, Period: 60}},
		Workflows:       []Workflow{{Binding: "WF", Name: "wf", ClassName: "Flow"}},
		VersionMetadata: &VersionMetadata{Binding: "VERSION"},
		Assets: &Assets{
			Directory: abs("public"), Binding: "ASSETS", HTMLHandling: "auto-trailing-slash", NotFoundHandling: "none",
			RunWorkerPaths: []string{"/api/*"}},
		SecretsStore:  []SecretsStoreSecret{{Binding: "SS", StoreID: "s", SecretName: "n"}},
		SendEmail:     []SendEmail{{Name: "MAIL"}},
		WorkerLoaders: []WorkerLoader{{Binding: "LOADER"}},
		Hyperdrive:    []Hyperdrive{{Binding: "HD", ID: "h"}},
		Blobs:         []BoundFile{{Kind: WasmModuleBinding, Name: "WASM", Path: abs("a.wasm")}},
		Unserved:      []UnservedBinding{{Kind: "ai", Name: "AI"}, {Kind: "vectorize", Name: "VEC", Resource: "idx"}},
		TailConsumers: []TailConsumer{{Service: "tail"}},
		Build: BuildOptions{
			Rules: append([]Rule{{Type: Text, Globs: []string{"**/*.md"}, Fallthrough: &yes}}, DefaultRules()...),
			Alias: map[string]string{"foo": "./bar"}, Define: map[string]string{"V": "1"}, Minify: true,
			KeepNames:  true,
			JSXFactory: "React.createElement", JSXFragment: "React.Fragment",
			Command: "make", Cwd: cfg.Dir, WatchDirs: []string{abs("src"), abs("lib")},
		},
		Dev:    Dev{IP: "localhost", Port: 9000, LocalProtocol: "https", UpstreamProtocol: "https"},
		Limits: Limits{CPUMillis: 50},
		Routes: []Route{{Pattern: "example.com/*"}, {Pattern: "x.example", CustomDomain: true}},
	}
	if diff := cmp.Diff(want, cfg, ignorePlaces); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestPositionsOfBindings(t *testing.T) {
	for name, text := range map[string]string{"wrangler.jsonc": fullJSONC, "wrangler.toml": fullTOML} {
		cfg := loadText(t, name, text, Options{})
		lines := strings.Split(text, "\n")
		for _, b := range cfg.Bindings() {
			if !b.Pos.IsValid() || b.Pos.File != cfg.Path {
				t.Errorf("%s: binding %s has no position", name, b.Name)
				continue
			}
			// The name stands on the line of the position or, in a TOML table, a few lines below its header.
			near := strings.Join(lines[b.Pos.Line-1:min(b.Pos.Line+5, len(lines))], "\n")
			if !strings.Contains(near, b.Name) {
				t.Errorf("%s: binding %s is not near %s:\n%s", name, b.Name, b.Pos, near)
			}
		}
	}
}

func TestBindingsListEveryKind(t *testing.T) {
	cfg := loadText(t, "wrangler.jsonc", fullJSONC, Options{Vars: []string{"SECRET:x"}})
	var got []string
	for _, b := range cfg.Bindings() {
		got = append(got, b.Name+" "+b.Kind.Friendly()+" "+strings.ReplaceAll(b.Resource, cfg.Dir, "$DIR"))
	}
	want := []string{
		"COUNTER Durable Object Counter", "REMOTE Durable Object Room, defined in chat", "WF Workflow Flow",
		"KV KV Namespace k2",
		"KV2 KV Namespace KV2", "ORDERS Queue orders", "MAIL_QUEUE Queue shop-mail-queue", "MAIL Send Email ",
		"DB D1 Database db",
		"FILES R2 Bucket files", "HD Hyperdrive Config h", "AUTH Worker auth#Admin", "AE Analytics Engine Dataset AE",
		"SS Secrets Store Secret s/n", "LOADER Worker Loader ", "RL Rate Limit 10 requests/60s",
		"VERSION Worker Version Metadata ",
		"ASSETS Assets ", "AI AI ", "VEC Vectorize Index idx", "WASM Wasm Module $DIR/a.wasm",
		`TEXT Environment Variable "a"`, "NUM Environment Variable 5", `LIST Environment Variable [1,"b"]`,
		`OBJ Environment Variable {"z":1,"a":true}`, "YES Environment Variable true",
		`SECRET Environment Variable "(hidden)"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bindings (-want +got):\n%s", diff)
	}
}

func TestDiagnoseAfterLoading(t *testing.T) {
	cfg := loadText(t, "wrangler.toml", "name = \"w\"\ncompatibility_date = \"2026-04-01\"\n"+
		"[[durable_objects.bindings]]\nname = \"é\"\nclass_name = \"A\"\n", Options{})
	d := cfg.Diagnose(cfg.DurableObjects[0].Pos, Error, "class A is not exported", "export it")
	if d.Line != 3 || d.LineText != "[[durable_objects.bindings]]" || d.Column != 19 {
		t.Errorf("diagnostic at %d:%d on %q", d.Line, d.Column, d.LineText)
	}
	if d := cfg.Diagnose(Pos{}, Warning, "text", ""); d.Line != 0 || d.LineText != "" {
		t.Errorf("the zero Pos gave a frame: %+v", d)
	}
}
