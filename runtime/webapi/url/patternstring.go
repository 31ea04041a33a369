package url

// The components of a URL pattern, in their order.
type component int

const (
	cProtocol component = iota
	cUsername
	cPassword
	cHostname
	cPort
	cPathname
	cSearch
	cHash
	componentCount
	// the states of the constructor string parser that are no components
	cInit
	cAuthority
	cDone
)

var componentNames = [componentCount]string{
	"protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"}

// patternInit is a URLPatternInit: nil is a missing member.
type patternInit struct {
	part [componentCount]*string
	base *string
}

func (p *patternInit) set(c component, s string) { p.part[c] = &s }

// missing tells whether none of the components is there.
func (p *patternInit) missing(list ...component) bool {
	for _, c := range list {
		if p.part[c] != nil {
			return false
		}
	}
	return true
}

// stringParser is the constructor string parser (https://urlpattern.spec.whatwg.org/#constructor-string-parsing).
type stringParser struct {
	input            []rune
	tokens           []token
	result           patternInit
	state            component
	start, index     int // in tokens
	increment        int
	depth, brackets  int
	specialProtocol  bool
	matchesSpecial   func(pattern string) (bool, error)
	protocolProblems error
}

// parsePatternString splits "https://*.example.com/:id" into components. matchesSpecial tells whether a protocol
// pattern can match a special scheme.
func parsePatternString(in string, matchesSpecial func(string) (bool, error)) (*patternInit, error) {
	p := &stringParser{input: []rune(in), state: cInit, matchesSpecial: matchesSpecial}
	p.tokens, _ = tokenize(p.input, false)
	for p.index < len(p.tokens) && p.state != cDone {
		p.increment = 1
		p.step()
		if p.protocolProblems != nil {
			return nil, p.protocolProblems
		}
		p.index += p.increment
	}
	if p.result.part[cHostname] != nil && p.result.part[cPort] == nil {
		p.result.set(cPort, "")
	}
	return &p.result, nil
}

func (p *stringParser) step() {
	tok := p.tokens[p.index]
	switch {
	case tok.kind == tokEnd:
		p.atEnd()
		return
	case tok.kind == tokOpen:
		p.depth++
		return
	case p.depth > 0 && tok.kind != tokClose:
		return
	case p.depth > 0:
		p.depth--
	}
	switch p.state {
	case cInit:
		if p.char(0, ":") {
			p.rewind(cProtocol)
		}
	case cProtocol:
		if p.char(0, ":") {
			p.specialProtocol, p.protocolProblems = p.matchesSpecial(p.text())
			switch {
			case p.char(1, "/") && p.char(2, "/"):
				p.change(cAuthority, 3)
			case p.specialProtocol:
				p.change(cAuthority, 1)
			default:
				p.change(cPathname, 1)
			}
		}
	case cAuthority:
		switch {
		case p.char(0, "@"):
			p.rewind(cUsername)
		case p.char(0, "/"), p.searchPrefix(), p.char(0, "#"):
			p.rewind(cHostname)
		}
	case cUsername:
		switch {
		case p.char(0, ":"):
			p.change(cPassword, 1)
		case p.char(0, "@"):
			p.change(cHostname, 1)
		}
	case cPassword:
		if p.char(0, "@") {
			p.change(cHostname, 1)
		}
	case cHostname:
		switch {
		case p.char(0, "["):
			p.brackets++
		case p.char(0, "]"):
			p.brackets--
		case p.char(0, ":") && p.brackets == 0:
			p.change(cPort, 1)
		default:
			p.afterAuthority()
		}
	case cPort:
		p.afterAuthority()
	case cPathname:
		p.afterPath()
	case cSearch:
		if p.char(0, "#") {
			p.change(cHash, 1)
		}
	}
}

func (p *stringParser) afterAuthority() {
	if p.char(0, "/") {
		p.change(cPathname, 0)
		return
	}
	p.afterPath()
}

func (p *stringParser) afterPath() {
	switch {
	case p.searchPrefix():
		p.change(cSearch, 1)
	case p.char(0, "#"):
		p.change(cHash, 1)
	}
}

// atEnd decides what a string without protocol was, and closes the last component.
func (p *stringParser) atEnd() {
	switch p.state {
	case cInit:
		p.index = p.start
		switch {
		case p.char(0, "#"):
			p.change(cHash, 1)
		case p.searchPrefix():
			p.change(cSearch, 1)
		default:
			p.change(cPathname, 0)
		}
		p.increment = 0
	case cAuthority:
		p.rewind(cHostname)
	default:
		p.change(cDone, 0)
	}
}

// rewind starts the current component again in another state.
func (p *stringParser) rewind(state component) {
	p.index, p.increment, p.state = p.start, 0, state
}

// change closes the current component and skips tokens.
func (p *stringParser) change(next component, skip int) {
	if p.state < componentCount {
		p.result.set(p.state, p.text())
	}
	if p.state != cInit && next != cDone {
		before := func(limit component) bool { return p.state < limit || p.state == cAuthority }
		if before(cHostname) && next >= cPort && next <= cHash && p.result.part[cHostname] == nil {
			p.result.set(cHostname, "")
		}
		if before(cPathname) && (next == cSearch || next == cHash) && p.result.part[cPathname] == nil {
			path := ""
			if p.specialProtocol {
				path = "/"
			}
			p.result.set(cPathname, path)
		}
		if before(cSearch) && next == cHash && p.result.part[cSearch] == nil {
			p.result.set(cSearch, "")
		}
	}
	p.state = next
	p.index += skip
	p.start, p.increment = p.index, 0
}

func (p *stringParser) token(i int) token { return p.tokens[min(i, len(p.tokens)-1)] }

// char tells whether the token at the distance is that character without special meaning.
func (p *stringParser) char(distance int, value string) bool {
	t := p.token(p.index + distance)
	return t.value == value && (t.kind == tokChar || t.kind == tokEscaped || t.kind == tokInvalid)
}

// searchPrefix tells whether a question mark starts the search; otherwise it is a modifier.
func (p *stringParser) searchPrefix() bool {
	if p.char(0, "?") {
		return true
	}
	if p.token(p.index).value != "?" {
		return false
	}
	if p.index == 0 {
		return true
	}
	switch p.token(p.index - 1).kind {
	case tokName, tokRegexp, tokClose, tokAsterisk:
		return false
	}
	return true
}

func (p *stringParser) text() string {
	return string(p.input[p.token(p.start).index:p.token(p.index).index])
}
