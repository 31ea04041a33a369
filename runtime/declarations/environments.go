package declarations

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"eddy/runtime/bundle"
	"eddy/wrangler"
)

// union collects the members of all environments: each name with the types it has somewhere, and where it is.
type union struct {
	order []string
	kinds map[string][]string
	where map[string][]string
}

func (u *union) add(m member, env string) {
	if u.kinds[m.name] == nil {
		u.order = append(u.order, m.name)
	}
	if !slices.Contains(u.kinds[m.name], m.kind) {
		u.kinds[m.name] = append(u.kinds[m.name], m.kind)
	}
	if !slices.Contains(u.where[m.name], env) {
		u.where[m.name] = append(u.where[m.name], env)
	}
}

// environments declares env of a file with several environments.
func (p *Project) environments() (Declared, error) {
	envs := p.written.Get("env").Keys()
	if err := distinct(envs); err != nil {
		return Declared{}, err
	}
	all := union{kinds: map[string][]string{}, where: map[string][]string{}}
	var stringNames, interfaces []string
	note := func(members []member) {
		for _, m := range members {
			if !slices.Contains(stringNames, m.name) {
				stringNames = append(stringNames, m.name)
			}
		}
	}
	for _, env := range envs {
		section := p.written.Get("env").Get(env)
		secrets := p.secretsOf(env)
		members := slices.Concat(several(section, lists), single(section), several(section, searches))
		if assets := p.written.Get("assets").Get("binding").Text(); assets != "" &&
			section.Get("assets").Type() == "undefined" {
			members = append(members, member{assets, "Fetcher"}) // assets alone are inherited
		}
		texts := p.vars(section, secrets)
		for _, name := range secrets {
			texts = append(texts, member{name, "string"})
		}
		note(texts)
		members = slices.Concat(members, texts, p.classes(section), unsafe(section, "Fetcher"), pipelines(section))
		for _, m := range members {
			all.add(m, env)
		}
		interfaces = append(interfaces, environment(env, members))
	}
	section, secrets := p.written, p.secretsOf("")
	texts := p.vars(section, secrets)
	for _, name := range secrets {
		texts = append(texts, member{name, "string"})
	}
	note(texts)
	for _, m := range slices.Concat(several(section, lists), single(section), several(section, searches), texts,
		p.classes(section), unsafe(section, "any"), pipelines(section)) {
		all.add(m, "")
	}
	patterns, err := p.allPatterns(envs)
	if err != nil {
		return Declared{}, err
	}
	env := p.joined(all, len(envs)+1, strings.Join(interfaces, "\n"), stringNames)
	return declared(p.assemble(env, patterns)), nil
}

// joined is the interface of all environments, of which there are n with the top level.
func (p *Project) joined(all union, n int, interfaces string, stringNames []string) string {
	var members []member
	var lines []string
	line := func(m member, optional string) {
		members = append(members, m)
		lines = append(lines, fmt.Sprintf("\t%s%s: %s;", m.key(), optional, m.kind))
	}
	for _, name := range all.order {
		optional := "?"
		if len(all.where[name]) == n {
			optional = ""
		}
		line(member{name, strings.Join(all.kinds[name], " | ")}, optional)
	}
	for _, m := range p.blobs() {
		line(m, "")
	}
	if p.format() == bundle.FormatServiceWorker {
		return globals(members)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "interface __BaseEnv_%s {\n%s\n}\n", p.options.Interface, strings.Join(lines, "\n"))
	p.namespace(&b, interfaces, stringNames)
	return b.String()
}

// environment is the interface of one environment.
func environment(env string, members []member) string {
	if len(members) == 0 {
		return fmt.Sprintf("\tinterface %s {}", interfaceOf(env))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\tinterface %s {\n", interfaceOf(env))
	for _, m := range members {
		fmt.Fprintf(&b, "\t\t%s: %s;\n", m.key(), m.kind)
	}
	b.WriteString("\t}")
	return b.String()
}

// interfaceOf is the name of an environment's interface: pre-production has PreProductionEnv.
func interfaceOf(env string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(env, func(r rune) bool { return r == '-' || r == '_' }) {
		letters := []rune(word)
		b.WriteString(string(unicode.ToUpper(letters[0])) + strings.ToLower(string(letters[1:])))
	}
	return strings.TrimSuffix(b.String(), "Env") + "Env"
}

// distinct refuses environments whose interfaces would have one name.
func distinct(envs []string) error {
	taken := map[string]string{"Env": ""}
	for _, env := range envs {
		name := interfaceOf(env)
		switch other, ok := taken[name]; {
		case ok && other == "":
			return fmt.Errorf("the interface of environment %q would be %s, which is taken\n  rename the environment",
				env, name)
		case ok:
			return fmt.Errorf("the interfaces of environments %q and %q would both be %s\n  rename one of them", other,
				env, name)
		}
		taken[name] = env
	}
	return nil
}

// allPatterns declares the modules of the rules of the top level and of all environments.
func (p *Project) allPatterns(envs []string) ([]string, error) {
	sets := []ruleSet{rulesOf(p.config)}
	for _, env := range envs {
		cfg, err := load(p.options.Config, wrangler.Options{Env: env})
		if err != nil {
			return nil, err
		}
		if set := rulesOf(cfg); !slices.ContainsFunc(sets, set.same) {
			sets = append(sets, set)
		}
	}
	return declareModules(sets), nil
}
