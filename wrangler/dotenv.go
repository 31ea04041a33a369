package wrangler

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// loadDotenv reads the dotenv files that apply (DEV2) and returns their values, and the names found in them.
//
// .dev.vars.ENV replaces .dev.vars entirely. Only without either are .env, .env.local, .env.ENV and .env.ENV.local
// read, a later file winning, and references like ${NAME} in them expanded. With --env-file those files take the
// place of the .env files and .dev.vars is not looked at.
func (c *Config) loadDotenv(rep *report, opts Options) (vars []Var, found []string) {
	if len(opts.EnvFiles) == 0 {
		candidates := []string{".dev.vars"}
		if c.Env != "" {
			candidates = []string{".dev.vars." + c.Env, ".dev.vars"}
		}
		for _, name := range candidates {
			if vars, ok := c.readDotenv(rep, name); ok {
				return vars, varNames(vars)
			}
		}
	}
	if strings.EqualFold(opts.environ("CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV"), "false") {
		return nil, nil
	}
	files := opts.EnvFiles
	if len(files) == 0 {
		files = []string{".env", ".env.local"}
		if c.Env != "" {
			files = append(files, ".env."+c.Env, ".env."+c.Env+".local")
		}
	}
	merged := Config{}
	for _, name := range files {
		vars, ok := c.readDotenv(rep, name)
		if !ok && len(opts.EnvFiles) > 0 {
			severity, flag := Warning, "--env-file"
			if opts.Secrets {
				flag = "--secrets-file"
			}
			if opts.Secrets && (!opts.Several || filepath.IsAbs(name)) {
				severity = Error
			}
			rep.add(Diagnostic{Severity: severity, Text: fmt.Sprintf("The file %q of %s was not found.", name, flag),
				Fix:   "check the path",
				Notes: []string{"Paths start at the directory of the configuration, " + c.ProjectDir + "."}})
		}
		for _, v := range vars {
			merged.setVar(v)
		}
	}
	// Declared secrets may come from the process environment. Without a declaration it is read only on request.
	includeProcess := c.RequiredSecrets != nil ||
		strings.EqualFold(opts.environ("CLOUDFLARE_INCLUDE_PROCESS_ENV"), "true")
	expandVars(merged.Vars, func(name string) string {
		if includeProcess {
			return opts.environ(name)
		}
		return ""
	})
	if includeProcess {
		for _, pair := range opts.Environ {
			if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
				merged.setVar(Var{Name: name, Text: value, Secret: true, Source: "process.env"})
			}
		}
	}
	return merged.Vars, varNames(merged.Vars)
}

func varNames(vars []Var) []string {
	var names []string
	for _, v := range vars {
		names = append(names, v.Name)
	}
	return names
}

// readDotenv reads one file beside the user's configuration. ok is false when there is no such file.
func (c *Config) readDotenv(rep *report, name string) (vars []Var, ok bool) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.ProjectDir, filepath.FromSlash(name))
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		c.AbsentSecretFiles = append(c.AbsentSecretFiles, path)
		return nil, false
	}
	text, problem := readText(path)
	if problem != nil {
		problem.Text = fmt.Sprintf("Failed to load local dev variables file %q", path)
		rep.add(*problem)
		return nil, true
	}
	c.SecretFiles = append(c.SecretFiles, path)
	return parseDotenv(newSource(path, strings.ReplaceAll(text, "\r\n", "\n"), ""), rep), true
}

// parseDotenv reads NAME=value lines by the rules of the dotenv package that wrangler uses: an optional export, a value
// in single, double or back quotes that may span lines, \n and \r in double quotes turned into line ends, a comment
// after # outside of quotes, and NAME: value as another form. That package ignores any other line without a word; here
// such a line gives a warning.
func parseDotenv(src *source, rep *report) []Var {
	var collected Config
	p := dotenvParser{src: src, text: src.text}
	for {
		start, name, value, ok := p.next(rep)
		if !ok {
			return collected.Vars
		}
		collected.setVar(Var{Name: name, Text: value, Secret: true, Source: src.path, Pos: src.pos(start)})
	}
}

type dotenvParser struct {
	src  *source
	text string
	at   int
}

// next returns the next assignment and the offset of its name.
func (p *dotenvParser) next(rep *report) (start int, name, value string, ok bool) {
	for p.at < len(p.text) {
		p.skip(" \t\r\n\v\f")
		lineStart := p.at
		if p.at >= len(p.text) || p.text[p.at] == '#' {
			p.skipLine()
			continue
		}
		if rest, found := strings.CutPrefix(p.text[p.at:], "export"); found && rest != "" &&
			strings.ContainsRune(" \t", rune(rest[0])) {
			p.at += len("export")
			p.skip(" \t")
		}
		start = p.at
		for p.at < len(p.text) && isDotenvName(p.text[p.at]) {
			p.at++
		}
		name = p.text[start:p.at]
		if name == "" || !p.separator() {
			p.at = lineStart
			p.skipLine()
			line := span{lineStart, p.at}
			rep.add(at(p.src, line, Warning, "This line is not NAME=value and is ignored.",
				"write NAME=value, or start the line with #"))
			continue
		}
		return start, name, p.value(), true
	}
	return 0, "", "", false
}

func isDotenvName(c byte) bool {
	return c == '_' || c == '.' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// separator consumes "=" with blanks around it, or ":" followed by a blank.
func (p *dotenvParser) separator() bool {
	before := p.at
	p.skip(" \t")
	if p.at < len(p.text) && p.text[p.at] == '=' {
		p.at++
		p.skip(" \t")
		return true
	}
	p.at = before
	if p.at+1 < len(p.text) && p.text[p.at] == ':' && strings.IndexByte(" \t", p.text[p.at+1]) >= 0 {
		p.at++
		p.skip(" \t")
		return true
	}
	return false
}

// value consumes a value and the rest of its last line.
func (p *dotenvParser) value() string {
	if p.at >= len(p.text) {
		return ""
	}
	quote := p.text[p.at]
	if quote == '\'' || quote == '"' || quote == '`' {
		if end := closingQuote(p.text, p.at); end > 0 && p.onlyCommentAfter(end+1) {
			inner := p.text[p.at+1 : end]
			p.at = end + 1
			p.skipLine()
			if quote == '"' {
				inner = strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(inner)
			}
			return inner
		}
	}
	start := p.at
	p.skipLine()
	raw, _, _ := strings.Cut(p.text[start:p.at], "#")
	return strings.TrimSpace(raw)
}

// closingQuote returns the index of the quote that closes the one at open; one behind a backslash does not.
func closingQuote(text string, open int) int {
	for i := open + 1; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && text[i+1] == text[open] {
			i++
		} else if text[i] == text[open] {
			return i
		}
	}
	return -1
}

func (p *dotenvParser) onlyCommentAfter(i int) bool {
	rest, _, _ := strings.Cut(p.text[i:], "\n")
	rest = strings.TrimSpace(rest)
	return rest == "" || rest[0] == '#'
}

func (p *dotenvParser) skip(set string) {
	for p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
}

// skipLine moves to the next line end, not over it.
func (p *dotenvParser) skipLine() {
	if i := strings.IndexByte(p.text[p.at:], '\n'); i >= 0 {
		p.at += i
	} else {
		p.at = len(p.text)
	}
}

// ParseDotenv reads the text of a dotenv file: names and values in order, without expansion. Mistakes are left out.
func ParseDotenv(text string) [][2]string {
	var out [][2]string
	for _, v := range parseDotenv(newSource("", text, JSONC), &report{}) {
		out = append(out, [2]string{v.Name, v.Text})
	}
	return out
}
