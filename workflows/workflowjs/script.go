package workflowjs

import (
	"embed"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
	"eddy/workflows"
)

//go:embed *.js
var sources embed.FS

// parts are the scripts in the order in which they are evaluated. Each takes from one object what those before it have
// put there, and puts its own there.
var parts = []string{"values", "config", "modifications", "life", "execute", "subscription", "binding", "introspect"}

// script is what the parts make together. Each isolate has one.
type script struct {
	bind, execute goja.Callable
	// forTests has introspectWorkflow and introspectWorkflowInstance.
	forTests *goja.Object
}

func scriptOf(iso *worker.Isolate) (*script, error) {
	type key struct{}
	if s, ok := iso.Value(key{}).(*script); ok {
		return s, nil
	}
	o := iso.Runtime().NewObject()
	preserve := iso.Runtime().ToValue(iso.Flags.Enabled("workflows_preserve_non_retryable_error_message"))
	for _, part := range parts {
		source, err := sources.ReadFile(part + ".js")
		if err != nil {
			return nil, err
		}
		if _, err := iso.Internal("cloudflare-internal:workflows-"+part, string(source), o, preserve); err != nil {
			return nil, err
		}
	}
	s := &script{forTests: iso.Runtime().NewObject()}
	for _, name := range []string{"introspectWorkflow", "introspectWorkflowInstance"} {
		_ = s.forTests.Set(name, o.Get(name))
	}
	s.bind, _ = goja.AssertFunction(o.Get("bind"))
	s.execute, _ = goja.AssertFunction(o.Get("execute"))
	iso.SetValue(key{}, s)
	return s, nil
}

// Install evaluates the scripts in an isolate before the Worker's own code could change the built-ins that it uses.
func Install(iso *worker.Isolate) error {
	_, err := scriptOf(iso)
	return err
}

// TestModule returns an object with the exports of cloudflare:test about workflows (FLOW-210 to FLOW-218).
func TestModule(iso *worker.Isolate) (*goja.Object, error) {
	s, err := scriptOf(iso)
	if err != nil {
		return nil, err
	}
	return s.forTests, nil
}

// failureObject makes {name, message} of a failure.
func failureObject(iso *worker.Isolate, f *workflows.Failure) goja.Value {
	o := iso.Runtime().NewObject()
	_ = o.Set("name", f.Name)
	_ = o.Set("message", f.Message)
	return o
}
