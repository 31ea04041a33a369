package eddy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// oneThing are the names that exported types of several packages have which meet in a file, each with what all of them
// are. A type that is something else needs another name.
var oneThing = map[string]string{
	"API":      "the handler of the package's HTTP API",
	"Activity": "what happened in the queues, and its form for the wire",
	"Alarm":    "an object's alarm, and its form for the wire",
	"Binding":  "what env holds under a name: a line of the configuration, the interface, the implementations",
	"Class": "a Durable Object class: of the configuration, of the tests' configuration, of a running " +
		"Worker",
	"Clock":            "the session's time: the clock, what a work queue needs of it, its form for the wire",
	"Consumer":         "a queue's consumer: of the configuration, of the broker, in the isolate, for the wire",
	"ConsumerChange":   "what a request changes of a consumer, at both APIs",
	"ConsumerType":     "worker or pull",
	"DeadLetter":       "a dead letter, and its form for the wire",
	"DeadLetterFilter": "which dead letters, and its form for the wire",
	"Durability":       "what an acknowledged write has reached",
	"Engine":           "what keeps a cluster's data: the interface, and each that there is",
	"Error":            "a refusal with the platform's code and text",
	"Exception":        "what nobody caught, and as the journal keeps it",
	"FS":               "the file system under the queues' log: the interface, and one in a shard",
	"File":             "a file of tests",
	"Limits":           "the limits that the package holds to",
	"Lineage":          "the objects of a class through all its names",
	"ListOptions":      "the options of list()",
	"Message":          "a queue's message: in the broker, in the journal, for the wire",
	"Module":           "a module of a Worker",
	"Namespace":        "the objects of a class: the live ones, and their storage",
	"Note":             "an entry of the operator's log, and its form for the wire",
	"Object":           "a Durable Object: live, in the journal, in a test, for the wire",
	"ObjectInfo":       "a description of an object, on disk and live",
	"Options":          "the options of what the package makes",
	"Pool":             "what a configuration of tests says of its Workers",
	"Producer":         "a queue's producer: of the configuration, in the isolate",
	"Pulled":           "a message that a puller has leased, and its form for the wire",
	"Request":          "an HTTP request: of a script, in the journal, in a test",
	"Response":         "an HTTP response: of a script, of a Worker",
	"Result":           "the result of an SQL statement",
	"Rule":             "one of the configuration's rules, and what the bundler is told of it",
	"RuleType":         "the type of such a rule",
	"Runner":           "what runs a workflow: the interface, and its one implementation",
	"Schedule":         "a cron trigger: of the configuration, in the journal",
	"Sent":             "a send of messages: in the log, in the journal",
	"Service":          "a work queue: the API, and one in each backend",
	"Session":          "a session: the door's, what is below the door, and a test's around it",
	"State":            "everything that a broker knows",
	"Store":            "what keeps the data of the package's binding",
	"Subscription":     "an event subscription, at both APIs",
	"Timer":            "a timer of the clock, and what a work queue needs of it",
	"Var":              "a variable of env: of the configuration, in the isolate",
	"Worker":           "a Worker: in this session, in another one",
	"Workflow":         "a workflow: of the configuration, running",
}

// One noun is one thing: where the exported types of two packages meet in a file, no two share a name, unless they are
// the same thing.
func TestOneNounIsOneThing(t *testing.T) {
	types, meet, imports := map[string][]string{}, map[[2]string]string{}, map[string][]string{}
	eachSource(t, func(file, pkg string) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		imports[file] = nil
		for _, imp := range f.Imports {
			if rest, ok := strings.CutPrefix(imp.Path.Value, `"eddy/`); ok {
				imports[file] = append(imports[file], strings.TrimSuffix(rest, `"`))
			}
		}
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if spec := spec.(*ast.TypeSpec); spec.Assign == token.NoPos && spec.Name.IsExported() {
					types[spec.Name.Name] = append(types[spec.Name.Name], pkg)
				}
			}
		}
	})
	for file, list := range imports {
		list = append(list, path.Dir(file))
		for _, a := range list {
			for _, b := range list {
				if a != b {
					meet[[2]string{a, b}] = file
				}
			}
		}
	}
	if len(imports) < 1000 {
		t.Fatalf("only %d files were read", len(imports))
	}
	used := map[string]bool{}
	for name, pkgs := range types {
		slices.Sort(pkgs)
		for i, a := range pkgs {
			for _, b := range pkgs[i+1:] {
				file := meet[[2]string{a, b}]
				if file == "" {
					continue
				}
				used[name] = true
				if oneThing[name] == "" {
					t.Errorf("%s: %s and %s both have a type %s: rename what is another thing", file, a, b, name)
				}
			}
		}
	}
	for name := range oneThing {
		if !used[name] {
			t.Errorf("no two packages with a type %s meet any more: take it out of the table", name)
		}
	}
}
