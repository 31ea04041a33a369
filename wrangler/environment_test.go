package wrangler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInheritance loads every key once at the top level and once in an environment, for each environment that has
// it, lacks it or changes it, and looks at a value derived from it (DEV3).
func TestInheritance(t *testing.T) {
	tests := []struct {
		key, top, env string // JSON values
		inherited     bool
		show          func(*Config) any
	}{
		{"main", `"a.ts"`, `"b.ts"`, true, func(c *Config) any { return strings.TrimPrefix(c.Main, c.Dir) }},
		{"compatibility_date", `"2024-01-01"`, `"2025-01-01"`, true,
			func(c *Config) any { return c.CompatibilityDate }},
		{"compatibility_flags", `["a"]`, `["b"]`, true, func(c *Config) any { return c.CompatibilityFlags }},
		{"migrations", `[{"tag":"v1","new_classes":["A"]}]`, `[{"tag":"v1","new_classes":["B"]}]`, true,
			func(c *Config) any { return c.Classes[0].Name }},
		{"triggers", `{"crons":["1 * * * *"]}`, `{"crons":["2 * * * *"]}`, true,
			func(c *Config) any { return c.Triggers.Crons[0].Expr }},
		{"rules", `[{"type":"Data","globs":["a"]}]`, `[{"type":"Data","globs":["b"]}]`, true,
			func(c *Config) any { return c.Build.Rules[0].Globs }},
		{"limits", `{"cpu_ms":1}`, `{"cpu_ms":2}`, true, func(c *Config) any { return c.Limits.CPUMillis }},
		{"assets", `{"directory":"a"}`, `{"directory":"b"}`, true,
			func(c *Config) any { return strings.TrimPrefix(c.Assets.Directory, c.Dir) }},
		{"minify", `true`, `false`, true, func(c *Config) any { return c.Build.Minify }},
		{"build", `{"command":"a"}`, `{"command":"b"}`, true, func(c *Config) any { return c.Build.Command }},
		{"routes", `["a"]`, `["b"]`, true, func(c *Config) any { return c.Routes[0].Pattern }},
		{"vars", `{"V":"a"}`, `{"V":"b"}`, false, func(c *Config) any { return c.Vars }},
		{"define", `{"V":"a"}`, `{"V":"b"}`, false, func(c *Config) any { return c.Build.Define }},
		{"queues", `{"consumers":[{"queue":"a"}]}`, `{"consumers":[{"queue":"b"}]}`, false,
			func(c *Config) any { return c.Queues }},
		{"durable_objects", `{"bindings":[{"name":"A","class_name":"A"}]}`,
			`{"bindings":[{"name":"A","class_name":"B"}]}`, false, func(c *Config) any { return c.DurableObjects }},
		{"services", `[{"binding":"S","service":"a"}]`, `[{"binding":"S","service":"b"}]`, false,
			func(c *Config) any { return c.Services }},
		{"kv_namespaces", `[{"binding":"K","id":"a"}]`, `[{"binding":"K","id":"b"}]`, false,
			func(c *Config) any { return c.KVNamespaces }},
		{"d1_databases", `[{"binding":"K","database_id":"a"}]`, `[{"binding":"K","database_id":"b"}]`, false,
			func(c *Config) any { return databaseIDs(c) }},
		{"r2_buckets", `[{"binding":"K","bucket_name":"aaa"}]`, `[{"binding":"K","bucket_name":"bbb"}]`, false,
			func(c *Config) any { return c.R2Buckets }},
		{"workflows", `[{"binding":"K","name":"a","class_name":"A"}]`, `[{"binding":"K","name":"b","class_name":"A"}]`,
			false, func(c *Config) any { return c.Workflows }},
		{"ai", `{"binding":"A"}`, `{"binding":"B"}`, false, func(c *Config) any { return c.Unserved }},
		{"version_metadata", `{"binding":"A"}`, `{"binding":"B"}`, false,
			func(c *Config) any { return c.VersionMetadata }},
	}
	for _, test := range tests {
		t.Run(test.key, func(t *testing.T) {
			top := fmt.Sprintf("%q: %s,", test.key, test.top)
			env := fmt.Sprintf("%q: %s", test.key, test.env)
			load := func(text, env string) (any, Diagnostics) {
				cfg, found := Load(writeConfig(t, text), Options{Env: env, Now: today})
				if found.HasErrors() {
					t.Fatalf("load: %v", found.Err())
				}
				return test.show(cfg), found
			}
			atTop, _ := load(`{ "name": "w", `+top+` }`, "")
			own, _ := load(`{ "name": "w", `+top+` "env": { "e": { `+env+` } } }`, "e")
			only, _ := load(`{ "name": "w", "env": { "e": { `+env+` } } }`, "e")
			if diff := cmp.Diff(only, own, ignorePlaces); diff != "" {
				t.Errorf("the environment's own value does not win:\n%s", diff)
			}
			if cmp.Equal(atTop, own, ignorePlaces) {
				t.Errorf("the values do not differ: %v", own)
			}
			if !test.inherited {
				nothing, _ := load(`{ "name": "w" }`, "")
				lacking, found := load(`{ "name": "w", `+top+` "env": { "e": {} } }`, "e")
				if diff := cmp.Diff(nothing, lacking, ignorePlaces); diff != "" {
					t.Errorf("the environment has inherited the value:\n%s", diff)
				}
				if text := fmt.Sprintf("%q exists at the top level, but not on \"env.e\".", test.key); !hasText(
					found, text) {
					t.Errorf("no warning %s in %v", text, found)
				}
				return
			}
			lacking, found := load(`{ "name": "w", `+top+` "env": { "e": {} } }`, "e")
			if diff := cmp.Diff(atTop, lacking, ignorePlaces); diff != "" {
				t.Errorf("the environment has not inherited the value:\n%s", diff)
			}
			if hasText(found, "at the top level") {
				t.Errorf("warned about an inherited key: %v", found)
			}
		})
	}
}

func databaseIDs(c *Config) (ids []string) {
	for _, db := range c.D1Databases {
		ids = append(ids, db.DatabaseID)
	}
	return ids
}

func hasText(found Diagnostics, text string) bool {
	for _, d := range found {
		if strings.Contains(d.Text, text) {
			return true
		}
	}
	return false
}

func TestWorkerNameOfEnvironment(t *testing.T) {
	tests := []struct {
		name, text, env, want string
	}{
		{"top level", `{ "name": "w", "env": { "e": {} } }`, "", "w"},
		{"environment", `{ "name": "w", "env": { "e": {} } }`, "e", "w-e"},
		{"own name", `{ "name": "w", "env": { "e": { "name": "mine" } } }`, "e", "mine"},
		{"no name", `{ "env": { "e": {} } }`, "e", ""},
		{"no environments", `{ "name": "w" }`, "e", "w-e"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := mustLoad(t, writeConfig(t, test.text), Options{Env: test.env})
			if cfg.Name != test.want {
				t.Errorf("name %q, want %q", cfg.Name, test.want)
			}
		})
	}
}

// TestMissingEnvironment: without any environment section the whole top level is used, bindings too.
func TestMissingEnvironment(t *testing.T) {
	cfg := mustLoad(t, writeConfig(t, `{ "name": "w", "vars": { "A": "1" } }`), Options{Env: "e"})
	if len(cfg.Vars) != 1 || cfg.Env != "e" {
		t.Errorf("config: %+v", cfg)
	}
}

func TestEveryKeyHasARule(t *testing.T) {
	for key, rule := range keyRules {
		if rule < inherited || rule > topLevelOnly {
			t.Errorf("%s has rule %d", key, rule)
		}
	}
	for _, kind := range unservedKinds {
		if keyRules[kind.key] == 0 {
			t.Errorf("section %s has no rule", kind.key)
		}
	}
}
