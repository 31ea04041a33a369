package wrangler

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// settingsNames are the names of eddy's own file beside a configuration, the first that is there counts.
var settingsNames = []string{"eddy.jsonc", "eddy.json"}

// StandIn is what eddy's own file says of one binding: who answers for a service of Cloudflare's (BIND-58), and what a
// local implementation has to know beyond the configuration.
type StandIn struct {
	// Worker is a Worker of the session that answers, Entrypoint its export, "" the default one.
	Worker, Entrypoint string
	// URL is where requests go, with the path that they have.
	URL string
	// Replay is a file of requests and answers, absolute.
	Replay string
	// Cert, Key and CA are PEM files, absolute: what a client presents, and whom it trusts beyond the machine's.
	Cert, Key, CA string
	// Dimensions and Metric are those of a vector index.
	Dimensions int
	Metric     string
	// Browser is a program, or the address at which one listens, for a Browser binding.
	Browser string
	// Folder has the members of a dispatch namespace, absolute.
	Folder string
	Pos    Pos
}

// Answers tells whether somebody is named who answers.
func (s StandIn) Answers() bool { return s.Worker != "" || s.URL != "" || s.Replay != "" }

// readSettings reads eddy's own file beside the configuration, if there is one. Bindings are looked at when they are
// used: the file may speak of some that the environment does not have.
func (c *Config) readSettings(rep *report) {
	for _, name := range settingsNames {
		path := filepath.Join(c.ProjectDir, name)
		if !isFile(path) {
			continue
		}
		c.SettingsFile = path
		src, root := readFile(path, rep)
		if root == nil {
			return
		}
		r := &reader{src: src, rep: rep}
		top := &object{reader: r, path: "", n: root}
		list, ok := top.child("bindings", fieldPhrase)
		if ok {
			c.StandIns = map[string]StandIn{}
			for _, name := range list.n.keys() {
				if o, ok := list.child(name, fieldPhrase); ok {
					c.StandIns[name] = c.readStandIn(o)
				}
			}
			list.finish()
		}
		if o, ok := top.child("journal", fieldPhrase); ok {
			c.Journal = readJournalSettings(o)
		}
		top.finish()
		return
	}
}

func (c *Config) readStandIn(o *object) StandIn {
	s := StandIn{URL: o.nonEmpty("url"), Browser: o.nonEmpty("browser"),
		Metric: o.oneOf("metric", "cosine", "euclidean", "dot-product"), Pos: o.pos()}
	s.Worker, s.Entrypoint, _ = strings.Cut(o.nonEmpty("worker"), "#")
	file := func(key string) string {
		if name := o.nonEmpty(key); name != "" {
			return c.abs(name)
		}
		return ""
	}
	s.Replay = file("replay")
	s.Cert, s.Key, s.CA = file("cert"), file("key"), file("ca")
	s.Folder = file("folder")
	if info, err := os.Stat(s.Folder); s.Folder != "" && (err != nil || !info.IsDir()) {
		o.errorAt(o.spanOf("folder"), fmt.Sprintf("%q names %s, which is no folder.", o.path+".folder", s.Folder),
			"name the folder in which the Workers of the namespace lie")
	}
	if n, ok := o.number("dimensions"); ok {
		s.Dimensions = int(n)
	}
	var given []string
	for _, key := range []string{"worker", "url", "replay"} {
		if o.n.get(key) != nil {
			given = append(given, key)
		}
	}
	if len(given) > 1 {
		o.errorAt(o.n.span, fmt.Sprintf("%q names %s, and one can answer.", o.path, strings.Join(given, " and ")),
			"keep one of them")
	}
	if s.URL != "" && !slices.Contains([]string{"http", "https"}, strings.SplitN(s.URL, ":", 2)[0]) {
		o.errorAt(o.spanOf("url"), fmt.Sprintf("%q should be an http or https URL but got %s.", o.path+".url",
			quoteJSON(s.URL)), `write one such as "http://127.0.0.1:8080"`)
	}
	o.finish()
	return s
}
