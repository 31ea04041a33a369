package wrangler

import (
	"fmt"
	"sort"
	"strings"
)

// inheritance says where a key of the file is looked up when a named environment is active (DEV3).
type inheritance uint8

const (
	inherited    inheritance = iota + 1 // the environment's value, else the top level's
	notInherited                        // the environment's value only; a warning if just the top level has one
	topLevelOnly                        // the top level's value; unknown in an environment
)

// keyRules lists every key of a configuration file and how environments see it.
var keyRules = map[string]inheritance{
	"$schema": topLevelOnly, "addresses": topLevelOnly, "alias": topLevelOnly, "data_blobs": topLevelOnly,
	"dependencies_instrumentation": topLevelOnly, "dev": topLevelOnly, "env": topLevelOnly, "keep_vars": topLevelOnly,
	"legacy_env": topLevelOnly, "pages_build_output_dir": topLevelOnly, "send_metrics": topLevelOnly,
	"site": topLevelOnly, "text_blobs": topLevelOnly, "wasm_modules": topLevelOnly,
	// Written by build tools into redirected configurations.
	"configPath": topLevelOnly, "definedEnvironments": topLevelOnly, "targetEnvironment": topLevelOnly,
	"topLevelName": topLevelOnly, "userConfigPath": topLevelOnly,

	"access": inherited, "account_id": inherited, "assets": inherited, "base_dir": inherited, "build": inherited,
	"cache": inherited, "compatibility_date": inherited, "compatibility_flags": inherited,
	"compliance_region": inherited, "exports": inherited, "find_additional_modules": inherited,
	"first_party_worker": inherited, "jsx_factory": inherited, "jsx_fragment": inherited, "keep_names": inherited,
	"limits": inherited, "logfwdr": inherited, "logpush": inherited, "main": inherited, "migrations": inherited,
	"minify": inherited, "name": inherited, "no_bundle": inherited, "node_compat": inherited,
	"observability": inherited, "placement": inherited, "preserve_file_names": inherited, "preview_urls": inherited,
	"previews": inherited, "python_modules": inherited, "route": inherited, "routes": inherited, "rules": inherited,
	"triggers": inherited, "tsconfig": inherited, "upload_source_maps": inherited, "workers_dev": inherited,

	"agent_memory": notInherited, "ai": notInherited, "ai_search": notInherited, "ai_search_namespaces": notInherited,
	"analytics": notInherited, "analytics_engine_datasets": notInherited, "artifacts": notInherited,
	"browser": notInherited, "cloudchamber": notInherited, "connect": notInherited, "containers": notInherited,
	"d1_databases": notInherited, "define": notInherited, "dispatch_namespaces": notInherited,
	"durable_objects": notInherited, "flagship": notInherited, "hyperdrive": notInherited, "images": notInherited,
	"k2": notInherited, "kv_namespaces": notInherited, "media": notInherited, "mtls_certificates": notInherited,
	"pipelines": notInherited, "queues": notInherited, "r2_buckets": notInherited, "ratelimits": notInherited,
	"secrets": notInherited, "secrets_store_secrets": notInherited, "send_email": notInherited,
	"services": notInherited, "stream": notInherited, "streaming_tail_consumers": notInherited,
	"tail_consumers": notInherited, "unsafe": notInherited, "unsafe_hello_world": notInherited, "vars": notInherited,
	"vectorize": notInherited, "version_metadata": notInherited, "vpc_networks": notInherited,
	"vpc_services": notInherited, "worker_loaders": notInherited, "workflows": notInherited,
}

// hiddenKeys are known but not worth suggesting to somebody who misspelt a key.
var hiddenKeys = map[string]bool{
	"legacy_env": true, "node_compat": true, "configPath": true, "definedEnvironments": true,
	"targetEnvironment": true, "topLevelName": true, "userConfigPath": true,
}

// scope is a file seen from one environment.
type scope struct {
	*reader
	top  *node
	env  *node  // the section env.NAME; nil at the top level and when the file has no such section
	name string // NAME; "" at the top level
}

// entry is a top-level key of the file as the scope sees it.
type entry struct {
	path  string // for messages: queues, or env.staging.queues
	key   string
	value *node
	own   bool // the environment has the key itself
}

// lookup finds a key by the rule it has in keyRules.
func (s *scope) lookup(key string) (entry, bool) {
	rule := keyRules[key]
	if s.env != nil && rule != topLevelOnly {
		if v := s.env.get(key); v != nil {
			return entry{path: "env." + s.name + "." + key, key: key, value: v, own: true}, true
		}
		if rule == notInherited {
			s.warnNotInherited(key)
			return entry{}, false
		}
	}
	v := s.top.get(key)
	return entry{path: key, key: key, value: v}, v != nil
}

// warnNotInherited warns that a whole section stays behind at the top level.
func (s *scope) warnNotInherited(key string) {
	f, ok := s.top.field(key)
	if !ok {
		return
	}
	env := "env." + s.name
	s.warnAt(f.keySpan, fmt.Sprintf("%q exists at the top level, but not on %q.", key, env),
		fmt.Sprintf("add %q to %q", key, env),
		fmt.Sprintf("This is not what you probably want, since %q is not inherited by environments.", key))
}

// warnMissingNames warns about each name that a section has at the top level but not in the environment. Only
// sections that are not inherited are asked about.
func (s *scope) warnMissingNames(e entry) {
	topNode := s.top.get(e.key)
	if !e.own || topNode == nil {
		return
	}
	here := make(map[string]bool)
	for _, n := range names(e.key, e.value) {
		here[n.name] = true
	}
	for _, n := range names(e.key, topNode) {
		if here[n.name] {
			continue
		}
		text := fmt.Sprintf("There is a %s binding with name %q at the top level, but not on \"env.%s\".", e.key, n.name, s.name)
		if e.key == "vars" || e.key == "define" {
			text = fmt.Sprintf("\"%s.%s\" exists at the top level, but not on %q.", e.key, n.name, e.path)
		}
		s.warnAt(n.span, text, fmt.Sprintf("add %q to %q", n.name, e.path),
			fmt.Sprintf("This is not what you probably want, since %q configuration is not inherited by environments.", e.key))
	}
}

type namedSpan struct {
	name string
	span span
}

// names lists the names a section puts into env (or defines), with their places.
func names(key string, n *node) []namedSpan {
	if key == "queues" {
		n = n.get("producers")
	}
	if n == nil {
		return nil
	}
	var out []namedSpan
	ofItem := func(item *node, keys ...string) {
		for _, k := range keys {
			if f, ok := item.field(k); ok && f.value.kind == stringNode {
				out = append(out, namedSpan{f.value.text, f.value.span})
				return
			}
		}
	}
	switch {
	case n.kind == arrayNode:
		for _, item := range n.items {
			if key == "send_email" || key == "ratelimits" {
				ofItem(item, "name")
			} else {
				ofItem(item, "binding")
			}
		}
	case n.kind != objectNode:
	case n.get("bindings") != nil:
		for _, item := range n.get("bindings").items {
			ofItem(item, "name")
		}
	case key == "vars" || key == "define":
		for _, f := range n.fields {
			out = append(out, namedSpan{f.key, f.keySpan})
		}
	default:
		ofItem(n, "binding")
	}
	return out
}

// warnUnknownKeys warns about keys of the file or of the environment that nothing knows (K-15).
func (s *scope) warnUnknownKeys() {
	var known []string
	for key := range keyRules {
		if !hiddenKeys[key] {
			known = append(known, key)
		}
	}
	sort.Strings(known)
	s.warnUnknownIn("top-level", s.top, known, func(key string) bool { return keyRules[key] != 0 })
	if s.env == nil {
		return
	}
	var here []string
	for _, key := range known {
		if keyRules[key] != topLevelOnly {
			here = append(here, key)
		}
	}
	s.warnUnknownIn("env."+s.name, s.env, here, func(key string) bool {
		return keyRules[key] != 0 && keyRules[key] != topLevelOnly
	})
}

func (s *scope) warnUnknownIn(name string, n *node, suggestions []string, known func(string) bool) {
	for _, f := range n.fields {
		if known(f.key) {
			continue
		}
		fix := "remove it"
		note := "It is ignored."
		if near := didYouMean(f.key, suggestions); near != "" {
			fix = "did you mean " + quoteJSON(near) + "?"
		} else if keyRules[f.key] == topLevelOnly {
			fix = fmt.Sprintf("move %q to the top level", f.key)
			note = "This key only has a meaning at the top level."
		}
		s.warnAt(f.keySpan, fmt.Sprintf("Unexpected fields found in %s field: %s", name, quoteJSON(f.key)), fix, note)
	}
}

// enter selects the environment called name. Without such a section the reference uses the top level for all keys:
// an error if the file has other environments, since the name is then likely misspelt, and a warning otherwise.
func (s *scope) enter(name string) {
	s.name = name
	environments := s.top.get("env")
	if environments != nil && environments.kind == objectNode {
		if env := environments.get(name); env != nil {
			if env.kind == objectNode {
				s.env = env
				return
			}
			s.errorAt(env.span, fmt.Sprintf("The field \"env.%s\" should be an object but got %s.", name, env.shortJSON()),
				"write an object with the keys of the environment")
			return
		}
	}
	text := fmt.Sprintf("No environment found in configuration with name %q.", name)
	note := fmt.Sprintf("Before using `--env=%s` there should be an equivalent environment section in the configuration.", name)
	section := fmt.Sprintf(`add "env": { %s: {} }`, quoteJSON(name))
	if s.src.format == TOML {
		section = "add [env." + name + "]"
	}
	if environments == nil || environments.kind != objectNode {
		s.warnAt(s.top.span, text, section, note)
		return
	}
	available := environments.keys()
	quoted := make([]string, len(available))
	for i, key := range available {
		quoted[i] = quoteJSON(key)
	}
	if near := didYouMean(name, available); near != "" {
		section = "did you mean --env=" + near + "?"
	}
	s.errorAt(environments.span, text, section, note,
		"The available configured environment names are: ["+strings.Join(quoted, ",")+"]")
}
