package wrangler

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var workflowName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,63}$`)
})

// readPlatform reads the bindings of the remaining products that have a typed list.
func (s *scope) readPlatform(cfg *Config) {
	s.eachBinding(RateLimitBinding, func(o *object) { cfg.RateLimits = append(cfg.RateLimits, readRateLimit(o)) })
	s.eachBinding(SecretsStoreBinding, func(o *object) {
		cfg.SecretsStore = append(cfg.SecretsStore, SecretsStoreSecret{Binding: o.require("binding", "MY_SECRET"),
			StoreID: o.require("store_id", "my-store"), SecretName: o.require("secret_name", "my-secret"),
			Pos: o.pos()})
	})
	s.eachBinding(SendEmailBinding, func(o *object) {
		b := SendEmail{Name: o.require("name", "MAIL"), Destination: o.text("destination_address"),
			AllowedDestinations: o.texts("allowed_destination_addresses"),
			AllowedSenders:      o.texts("allowed_sender_addresses"), Pos: o.pos()}
		if b.Destination != "" && b.AllowedDestinations != nil {
			o.errorAt(o.spanOf("allowed_destination_addresses"),
				fmt.Sprintf(`%q bindings should have either a "destination_address" or `+
					`"allowed_destination_addresses" field, but not both.`, o.path),
				"remove one of the two")
		}
		o.accept("binding")
		o.remote()
		cfg.SendEmail = append(cfg.SendEmail, b)
	})
	s.eachBinding(WorkerLoaderBinding, func(o *object) {
		cfg.WorkerLoaders = append(
			cfg.WorkerLoaders, WorkerLoader{Binding: o.require("binding", "LOADER"), Pos: o.pos()})
	})
	if e, ok := s.lookup(string(VersionMetadataBinding)); ok {
		if o, ok := s.open(e.path, e.value, fieldPhrase); ok {
			cfg.VersionMetadata = &VersionMetadata{Binding: o.require("binding", "CF_VERSION_METADATA"), Pos: o.pos()}
			o.finish()
		}
	}
	s.readWorkflows(cfg)
	s.readTails(cfg)
	s.readContainers(cfg)
}

func readRateLimit(o *object) RateLimit {
	b := RateLimit{Name: o.require("name", "MY_LIMITER"), NamespaceID: o.require("namespace_id", "1001"), Pos: o.pos()}
	simple, ok := o.child("simple", fieldPhrase)
	if !ok {
		if o.n.get("simple") == nil {
			o.errorAt(o.n.span,
				fmt.Sprintf("%q bindings must have a \"simple\" configuration object but got %s.", o.path,
					o.n.shortJSON()),
				"add "+o.assign("simple", `{ "limit": 100, "period": 60 }`))
		}
		return b
	}
	if simple.n.get("limit") == nil {
		simple.missing("limit", "number", "100")
	}
	b.Limit = int(simple.ranged("limit", 0, numberRange{min: 1, max: 1e9, whole: true, unit: "calls"}))
	period, ok := simple.number("period")
	switch {
	case simple.n.get("period") == nil:
		simple.missing("period", "number", "60")
	case ok && period != 10 && period != 60:
		o.errorAt(simple.spanOf("period"),
			fmt.Sprintf("%q bindings \"simple.period\" must be either 10 or 60 but got %s.", o.path,
				formatNumber(period)),
			"write "+o.assign("period", "60"))
	default:
		b.Period = int(period)
	}
	simple.finish()
	return b
}

func (s *scope) readWorkflows(cfg *Config) {
	first := make(map[string]int)
	s.eachBinding(WorkflowBinding, func(o *object) {
		b := Workflow{Binding: o.require("binding", "MY_WORKFLOW"), Name: o.require("name", "my-workflow"),
			ClassName: o.require("class_name", "MyWorkflow"), ScriptName: o.text("script_name"), Pos: o.pos()}
		o.accept("jurisdiction", "remote")
		s.readWorkflowSettings(o, &b, cfg)
		if b.Name != "" && !workflowName().MatchString(b.Name) {
			o.errorAt(o.spanOf("name"), fmt.Sprintf(`%q binding "name" field is invalid. %s`, o.path,
				workflowNameForm),
				"write a name such as "+o.assign("name", `"my-workflow"`))
		}
		if line, twice := first[b.Name]; twice && b.Name != "" {
			o.errorAt(o.spanOf("name"),
				fmt.Sprintf(`"workflows" bindings must have unique "name" values; duplicate(s) found: %q`, b.Name),
				"change one of the two names", fmt.Sprintf("The other one is at line %d.", line))
		}
		first[b.Name] = b.Pos.Line
		cfg.Workflows = append(cfg.Workflows, b)
	})
}

func (s *scope) readTails(cfg *Config) {
	cfg.TailConsumers = s.tails("tail_consumers")
	cfg.StreamingTailConsumers = s.tails("streaming_tail_consumers")
}

func (s *scope) tails(key string) (all []TailConsumer) {
	e, ok := s.lookup(key)
	if !ok {
		return nil
	}
	for _, o := range s.openAll(e.path, e.value, fieldPhrase) {
		all = append(all,
			TailConsumer{Service: o.require("service", "my-tail"), Environment: o.text("environment"), Pos: o.pos()})
		o.finish()
	}
	return all
}

// readBlobs reads the files that a service-worker format Worker gets as globals.
func (s *scope) readBlobs(cfg *Config) {
	for _, kind := range []BindingKind{WasmModuleBinding, TextBlobBinding, DataBlobBinding} {
		e, ok := s.lookup(string(kind))
		if !ok {
			continue
		}
		o, ok := s.open(e.path, e.value, fieldPhrase)
		if !ok {
			continue
		}
		for _, name := range o.n.keys() {
			f, _ := o.n.field(name)
			if f.value.kind != stringNode {
				s.errorAt(f.value.span,
					fmt.Sprintf("Expected \"%s['%s']\" to be of type string but got %s.", e.path, name,
						f.value.shortJSON()),
					"write the path of a file")
				continue
			}
			cfg.Blobs = append(
				cfg.Blobs, BoundFile{Kind: kind, Name: name, Path: cfg.abs(f.value.text),
					Pos: s.src.pos(f.keySpan.start)})
		}
	}
}

// unservedKind describes a section whose bindings are checked and listed, and served by nobody.
type unservedKind struct {
	key      string
	single   bool     // one object instead of an array of them
	required []string // string members besides the binding's name
	optional []string // further members
}

var unservedKinds = []unservedKind{
	{key: "agent_memory", required: []string{"namespace"}},
	{key: "ai", single: true, optional: []string{"staging", "gateway"}},
	{key: "ai_search", required: []string{"instance_name"}},
	{key: "ai_search_namespaces", required: []string{"namespace"}},
	{key: "analytics", single: true},
	{key: "artifacts", required: []string{"namespace"}},
	{key: "browser", single: true},
	{key: "dispatch_namespaces", optional: []string{"namespace", "outbound"}},
	{key: "flagship", optional: []string{"app_id"}},
	{key: "images", single: true},
	{key: "k2", required: []string{"stream"}},
	{key: "media", single: true},
	{key: "mtls_certificates", required: []string{"certificate_id"}},
	{key: "pipelines", optional: []string{"stream", "pipeline"}},
	{key: "stream", single: true},
	{key: "unsafe_hello_world", optional: []string{"enable_timer"}},
	{key: "vectorize", required: []string{"index_name"}},
	{key: "vpc_networks", optional: []string{"tunnel_id", "network_id"}},
	{key: "vpc_services", required: []string{"service_id"}},
}

func (s *scope) readUnserved(cfg *Config) {
	for _, kind := range unservedKinds {
		e, ok := s.lookup(kind.key)
		if !ok {
			continue
		}
		var all []*object
		if kind.single {
			if o, ok := s.open(e.path, e.value, fieldPhrase); ok {
				all = append(all, o)
			}
		} else {
			all = s.openAll(e.path, e.value, bindingPhrase)
		}
		for _, o := range all {
			b := UnservedBinding{Kind: BindingKind(kind.key), Name: o.require("binding", "MY_BINDING"), Pos: o.pos()}
			for _, key := range kind.required {
				b.Resource = o.require(key, "my-"+strings.ReplaceAll(key, "_", "-"))
			}
			switch kind.key {
			case "dispatch_namespaces":
				b.Resource = o.text("namespace")
				if out, ok := o.child("outbound", fieldPhrase); ok {
					b.Outbound = out.require("service", "my-outbound-worker")
					if env := out.text("environment"); env != "" {
						b.Outbound += "-" + env
					}
					b.Parameters = out.texts("parameters")
					out.finish()
				}
			case "pipelines":
				b.Resource = firstNonEmpty(o.text("stream"), o.text("pipeline"))
			}
			o.accept(kind.optional...)
			o.flag("remote")
			o.finish()
			cfg.Unserved = append(cfg.Unserved, b)
		}
		s.warnMissingNames(e)
	}
	// unsafe and logfwdr hold their bindings one level down, with a name of their own.
	s.readUnservedInside(cfg, "unsafe", "metadata", "capnp")
	s.readUnservedInside(cfg, "logfwdr", "schema")
}

func (s *scope) readUnservedInside(cfg *Config, key string, members ...string) {
	e, ok := s.lookup(key)
	if !ok {
		return
	}
	section, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	for _, o := range section.objects("bindings", entryPhrase) {
		if key == "unsafe" && o.n.get("type") != nil && o.text("type") == "ratelimit" {
			// Rate limits were written like this before they had a key of their own; wrangler dev still serves them.
			cfg.RateLimits = append(cfg.RateLimits, readRateLimit(o))
			continue
		}
		b := UnservedBinding{
			Kind: BindingKind(key), Name: o.require("name", "MY_BINDING"), Resource: o.text("type"), Pos: o.pos()}
		cfg.Unserved = append(cfg.Unserved, b)
	}
	section.accept(members...)
	section.finish()
}
