package session

import (
	"context"
	"fmt"
	"net/http"

	"github.com/dop251/goja"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/runtime/bindings/analytics"
	"eddy/runtime/control"
	"eddy/runtime/report"
	"eddy/runtime/worker"
)

// OpenControl makes the control API, which answers /cdn-cgi/eddy/, on the session's own broker. Implements
// [sharing.Local].
func (s *Session) OpenControl(b *queues.Broker) (*control.API, error) {
	o := control.Options{
		Broker: b, Clock: s.opts.Clock, Namespace: s.opts.MetricsNamespace, Node: s.opts.MetricsNode,
		Objects: s.inspectorOf(),
		Session: s.sharing.Described, Scripts: s.sharing.Scripts, Workflow: s.hasWorkflow,
		Elsewhere: s.sharing.Elsewhere,
		Analytics: analytics.SQLAPI{Store: s.stores.dataPoints()},
		Attach:    s.AttachConsumer, Driver: s, Calendar: s, Explorer: s.opts.Explorer, Profile: s.profile,
		Warn:   func(text string) { s.lines.Line(report.Warn, "control", text) },
		Failed: func(err error) { s.lines.Line(report.Error, "control", fmt.Sprintf("control API: %v", err)) },
		Pages:  func(api http.Handler) http.Handler { return s.pages(b, control.Local(api)) },
	}
	if s.opts.Cluster != nil {
		o.Attach = s.sharing.AttachEverywhere
	}
	if !s.opts.Ephemeral && s.opts.Cluster == nil {
		o.SideFile, o.State, o.Render = s.state.API(), string(s.state), objectjs.RenderValue
	}
	return control.New(o)
}

// Namespaces are the unique keys of the Durable Objects that live in this session. Implements [sharing.Local].
func (s *Session) Namespaces() (keys []string) {
	for _, n := range s.objects.Namespaces(context.Background()) {
		if n.Served {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

// Scripts are the session's Workers as the control API sees them. Implements [sharing.Local].
func (s *Session) Scripts() []control.Script {
	var list []control.Script
	for _, svc := range s.services {
		g := svc.live()
		if g == nil {
			continue
		}
		has, err := hasQueue(context.Background(), g.Worker)
		script := control.Script{Name: svc.name, HasQueue: err == nil && has} // a loop that has stopped has no handlers
		for _, p := range g.config.Queues.Producers {
			script.Producers = append(script.Producers, p.Queue)
		}
		list = append(list, script)
	}
	return list
}

// hasQueue tells whether a Worker's entry exports a queue() handler, as an object or as a class.
func hasQueue(ctx context.Context, w *worker.Worker) (has bool, err error) {
	err = w.Look(ctx, func() {
		if w.IsServiceWorker() {
			has = true
			return
		}
		obj, ok := w.Export("default").(*goja.Object)
		if !ok {
			return
		}
		v := obj.Get("queue")
		if v == nil {
			if proto, ok := obj.Get("prototype").(*goja.Object); ok {
				v = proto.Get("queue")
			}
		}
		_, has = goja.AssertFunction(v)
	})
	return has, err
}
