package declarations

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"eddy/runtime/bundle"
	"eddy/wrangler"
)

// Declared are declarations, and the hash that their header has.
type Declared struct{ Text, Hash string }

func declared(text string) Declared {
	sum := sha256.Sum256([]byte(text))
	return Declared{text, hex.EncodeToString(sum[:])[:32]}
}

// Env declares env. With environments in the file and none chosen, each has an interface of its own, and env has the
// members of all, those that not all have as optional ones.
func (p *Project) Env() (Declared, error) {
	if len(p.config.Environments) > 0 && p.options.Env == "" {
		return p.environments()
	}
	section := p.written
	if p.options.Env != "" {
		section = p.written.Get("env").Get(p.options.Env)
	}
	secrets := p.secretsOf(p.options.Env)
	members := first(slices.Concat(several(section, lists), several(section, searches), single(section)))
	members = append(members, first(pipelines(section))...)
	vars := p.vars(section, secrets)
	members = append(members, vars...)
	strings := names(vars)
	for _, name := range secrets {
		members = append(members, member{name, "string"})
		strings = append(strings, name)
	}
	members = append(members, first(p.classes(section))...)
	members = append(members, first(unsafe(section, "Fetcher"))...)
	members = append(members, p.blobs()...)
	return declared(p.assemble(p.simple(members, strings), p.patterns())), nil
}

// first keeps the first member of a name.
func first(all []member) (out []member) {
	for _, m := range all {
		if !slices.ContainsFunc(out, func(have member) bool { return have.name == m.name }) {
			out = append(out, m)
		}
	}
	return out
}

func names(all []member) (out []string) {
	for _, m := range all {
		out = append(out, m.name)
	}
	return out
}

// declaresSecrets tells whether any part of the file has a secrets section; then dotenv files do not count.
func (p *Project) declaresSecrets() bool {
	if p.written.Get("secrets").Type() != "undefined" {
		return true
	}
	return slices.ContainsFunc(p.written.Get("env").Keys(), func(name string) bool {
		return p.written.Get("env").Get(name).Get("secrets").Type() != "undefined"
	})
}

// secretsOf are the names of secrets in an environment, "" for the top level.
func (p *Project) secretsOf(env string) (out []string) {
	if !p.declaresSecrets() {
		return p.config.DotenvNames(wrangler.Options{Env: p.options.Env, EnvFiles: p.options.EnvFiles,
			Environ: p.options.Environ})
	}
	section := p.written
	if env != "" {
		section = p.written.Get("env").Get(env)
	}
	for _, item := range section.Get("secrets").Get("required").Items() {
		if name := item.Text(); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// simple is the interface of a configuration without environments.
func (p *Project) simple(members []member, stringNames []string) string {
	var b strings.Builder
	if p.format() == bundle.FormatServiceWorker {
		return globals(members)
	}
	fmt.Fprintf(&b, "interface __BaseEnv_%s {", p.options.Interface)
	for _, m := range members {
		fmt.Fprintf(&b, "\n\t%s: %s;", m.key(), m.kind)
	}
	b.WriteString("\n}\n")
	p.namespace(&b, "", stringNames)
	return b.String()
}

// globals declares what a service worker finds in its global scope.
func globals(members []member) string {
	lines := make([]string, len(members))
	for i, m := range members {
		lines[i] = fmt.Sprintf("declare const %s: %s;", m.key(), m.kind)
	}
	return strings.Join(lines, "\n")
}

// namespace writes what follows the base interface: the namespace Cloudflare with the interfaces of environments, and
// the interface under the user's name.
func (p *Project) namespace(b *strings.Builder, environments string, stringNames []string) {
	name := p.options.Interface
	b.WriteString("declare namespace Cloudflare {")
	p.globalProps(b)
	if environments != "" {
		b.WriteString("\n" + environments)
	}
	fmt.Fprintf(b, "\n\tinterface Env extends __BaseEnv_%s {}\n}\n", name)
	fmt.Fprintf(b, "interface %s extends __BaseEnv_%s {}", name, name)
	if p.populatesProcessEnv() && len(stringNames) > 0 {
		b.WriteString(processEnv(stringNames))
	}
}

// globalProps writes the interface from which the types of ctx.exports come.
func (p *Project) globalProps(b *strings.Builder) {
	objects := p.namespaces()
	withMain := p.entry != nil && p.options.MainModule
	if !withMain && len(objects) == 0 {
		return
	}
	b.WriteString("\n\tinterface GlobalProps {")
	if withMain {
		fmt.Fprintf(b, "\n\t\tmainModule: typeof import(%q);", p.importOf(p.entry))
	}
	if len(objects) > 0 {
		fmt.Fprintf(b, "\n\t\tdurableNamespaces: %s;", quotedUnion(objects))
	}
	b.WriteString("\n\t}")
}

// namespaces are the classes of Durable Objects that migrations and exports leave, in wrangler's order.
func (p *Project) namespaces() (classes []string) {
	remove := func(name string) {
		classes = slices.DeleteFunc(classes, func(have string) bool { return have == name })
	}
	for _, m := range p.config.Migrations {
		for _, name := range m.DeletedClasses {
			remove(name)
		}
		for _, r := range m.RenamedClasses {
			remove(r.From)
			classes = append(classes, r.To)
		}
		classes = slices.Concat(classes, m.NewClasses, m.NewSQLiteClasses)
	}
	for _, x := range p.config.Exports {
		if x.Type == "durable-object" && (x.State == "created" || x.State == "expecting-transfer") &&
			!slices.Contains(classes, x.Name) {
			classes = append(classes, x.Name)
		}
	}
	return classes
}

// populatesProcessEnv tells whether process.env has the strings of env (RT17).
func (p *Project) populatesProcessEnv() bool {
	date, flags := p.CompatibilityDate(), p.config.CompatibilityFlags
	byDate := date >= "2026-08-04"
	compat := slices.Contains(flags, "nodejs_compat") || byDate && !slices.Contains(flags, "no_nodejs_compat")
	switch {
	case slices.Contains(flags, "nodejs_compat_populate_process_env") && compat:
		return true
	case slices.Contains(flags, "nodejs_compat_do_not_populate_process_env"):
		return false
	}
	return compat && date >= "2025-04-01"
}

func processEnv(stringNames []string) string {
	return "\ntype StringifyValues<EnvType extends Record<string, unknown>> = {\n" +
		"\t[Binding in keyof EnvType]: EnvType[Binding] extends string ? EnvType[Binding] : string;\n};\n" +
		"declare namespace NodeJS {\n\tinterface ProcessEnv extends StringifyValues<Pick<Cloudflare.Env, " +
		quotedUnion(stringNames) + ">> {}\n}"
}

func quotedUnion(names []string) string { return `"` + strings.Join(names, `" | "`) + `"` }

// assemble puts the declarations of modules behind those of env.
func (p *Project) assemble(env string, modules []string) string {
	parts := modules
	if env != "" {
		parts = append([]string{env}, modules...)
	}
	return strings.Join(parts, "\n")
}

func jsonText(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string has always a form
	}
	return strings.TrimSuffix(b.String(), "\n")
}
