package declarations

import (
	"fmt"
	"slices"
	"strings"

	"eddy/runtime/lazyregexp"
	"eddy/wrangler"
)

// member is a line of an interface.
type member struct{ name, kind string }

var identifier = lazyregexp.New(`^[a-zA-Z_$][\w$]*$`)

// key is the member's name as an interface has it.
func (m member) key() string {
	if identifier.MatchString(m.name) {
		return m.name
	}
	return jsonText(m.name)
}

// bound is a list of bindings: where a section has it, which field of an item has the name, and the type.
type bound struct{ key, field, kind string }

// lists are the bindings of which a section has several, in wrangler's order, up to the search services.
var lists = []bound{
	{"kv_namespaces", "binding", "KVNamespace"},
	{"r2_buckets", "binding", "R2Bucket"},
	{"d1_databases", "binding", "D1Database"},
	{"vectorize", "binding", "VectorizeIndex"},
	{"hyperdrive", "binding", "Hyperdrive"},
	{"send_email", "name", "SendEmail"},
	{"analytics_engine_datasets", "binding", "AnalyticsEngineDataset"},
	{"dispatch_namespaces", "binding", "DispatchNamespace"},
	{"mtls_certificates", "binding", "Fetcher"},
	{"queues", "binding", "Queue"},
	{"k2", "binding", "any"},
	{"secrets_store_secrets", "binding", "SecretsStoreSecret"},
	{"artifacts", "binding", "Artifacts"},
	{"unsafe_hello_world", "binding", "HelloWorldBinding"},
	{"flagship", "binding", "Flagship"},
	{"ratelimits", "name", "RateLimit"},
	{"worker_loaders", "binding", "WorkerLoader"},
	{"vpc_services", "binding", "Fetcher"},
	{"vpc_networks", "binding", "Fetcher"},
}

// searches come behind the lists, or with several environments behind the singles.
var searches = []bound{
	{"ai_search_namespaces", "binding", "AiSearchNamespace"},
	{"ai_search", "binding", "AiSearchInstance"},
	{"agent_memory", "binding", "AgentMemoryNamespace"},
}

// singles are the bindings of which a section has one.
var singles = []bound{
	{"browser", "binding", "BrowserRun"},
	{"analytics", "binding", "AnalyticsSQLBinding"},
	{"ai", "binding", "Ai"},
	{"images", "binding", "ImagesBinding"},
	{"stream", "binding", "StreamBinding"},
	{"media", "binding", "MediaBinding"},
	{"version_metadata", "binding", "WorkerVersionMetadata"},
	{"assets", "binding", "Fetcher"},
}

// several are the members of lists of a section.
func several(section wrangler.Written, lists []bound) (out []member) {
	for _, l := range lists {
		items := section.Get(l.key)
		if l.key == "queues" {
			items = items.Get("producers")
		}
		for _, item := range items.Items() {
			if name := item.Get(l.field).Text(); name != "" {
				out = append(out, member{name, l.kind})
			}
		}
	}
	return out
}

// single are the members of which a section has one of a kind.
func single(section wrangler.Written) (out []member) {
	if len(section.Get("logfwdr").Get("bindings").Items()) > 0 {
		out = append(out, member{"LOGFWDR_SCHEMA", "any"})
	}
	for _, s := range singles {
		if name := section.Get(s.key).Get(s.field).Text(); name != "" {
			out = append(out, member{name, s.kind})
		}
	}
	return out
}

// vars are the members of a section's vars that no secret hides.
func (p *Project) vars(section wrangler.Written, secrets []string) (out []member) {
	values := section.Get("vars")
	for _, name := range values.Keys() {
		if slices.Contains(secrets, name) {
			continue
		}
		value := values.Get(name)
		kind := value.JSON()
		switch {
		case p.options.StrictVars:
		case value.IsArray():
			kind = arrayOf(value.Items())
		default:
			kind = value.Type()
		}
		out = append(out, member{name, kind})
	}
	return out
}

// arrayOf is the type of an array by the types of its items.
func arrayOf(items []wrangler.Written) string {
	var kinds []string
	for _, item := range items {
		if kind := item.Type(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	switch len(kinds) {
	case 0:
		return "unknown[]"
	case 1:
		return kinds[0] + "[]"
	}
	return "(" + strings.Join(kinds, "|") + ")[]"
}

// pipelines are a section's. What their streams hold only an account could tell.
func pipelines(section wrangler.Written) (out []member) {
	for _, item := range section.Get("pipelines").Items() {
		if name := item.Get("binding").Text(); name != "" {
			out = append(out, member{name,
				`import("cloudflare:pipelines").Pipeline<import("cloudflare:pipelines").PipelineRecord>`})
		}
	}
	return out
}

// classes are the members whose types come from Workers: Durable Objects, services and workflows, in this order.
func (p *Project) classes(section wrangler.Written) (out []member) {
	of := func(script string) *entry {
		if script == "" {
			return p.entry
		}
		return p.others[script]
	}
	for _, item := range section.Get("durable_objects").Get("bindings").Items() {
		class, script := item.Get("class_name").Text(), item.Get("script_name").Text()
		kind := "DurableObjectNamespace" + comment(class, script)
		if from := p.imported(of(script), class); from != "" {
			kind = "DurableObjectNamespace<" + from + ">"
		}
		out = append(out, member{item.Get("name").Text(), kind})
	}
	for _, item := range section.Get("services").Items() {
		out = append(out, member{item.Get("binding").Text(),
			p.service(item.Get("service").Text(), item.Get("entrypoint"))})
	}
	for _, item := range section.Get("workflows").Items() {
		class, script := item.Get("class_name").Text(), item.Get("script_name").Text()
		kind := "Workflow" + comment(class, script)
		if from := p.imported(of(script), class); from != "" {
			kind = "Workflow<Parameters<" + from + "['run']>[0]['payload']>"
		}
		out = append(out, member{item.Get("binding").Text(), kind})
	}
	return out
}

// comment names a class whose type is not known.
func comment(class, script string) string {
	if script == "" {
		return fmt.Sprintf(" /* %s */", class)
	}
	return fmt.Sprintf(" /* %s from %s */", class, script)
}

func (p *Project) service(name string, entrypoint wrangler.Written) string {
	e := p.others[name]
	if p.entry != nil && p.entry.name == name {
		e = p.entry
	}
	export := "default"
	if entrypoint.Exists() {
		export = entrypoint.Text()
	}
	if from := p.imported(e, export); from != "" {
		return "Service<typeof " + from + ">"
	}
	if entrypoint.Text() != "" {
		return fmt.Sprintf("Service /* entrypoint %s from %s */", entrypoint.Text(), name)
	}
	return fmt.Sprintf("Fetcher /* %s */", name)
}

// unsafe are a section's bindings of kinds that have no key of their own. Of the top level beside environments
// wrangler takes services for anything.
func unsafe(section wrangler.Written, services string) (out []member) {
	for _, item := range section.Get("unsafe").Get("bindings").Items() {
		kind := "any"
		switch item.Get("type").Text() {
		case "ratelimit":
			kind = "RateLimit"
		case "service":
			kind = services
		}
		out = append(out, member{item.Get("name").Text(), kind})
	}
	return out
}

// blobs are the files that a service worker has as bindings.
func (p *Project) blobs() (out []member) {
	for _, kind := range []struct {
		is   wrangler.BindingKind
		kind string
	}{{wrangler.DataBlobBinding, "ArrayBuffer"}, {wrangler.TextBlobBinding, "string"}} {
		for _, b := range p.config.Blobs {
			if b.Kind == kind.is {
				out = append(out, member{b.Name, kind.kind})
			}
		}
	}
	return out
}
