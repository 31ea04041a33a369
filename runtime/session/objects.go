package session

import (
	"encoding/binary"
	"errors"
	"io"

	"eddy/durableobject/objectjs"
	"eddy/durableobject/storage"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// openObjects makes the session's Durable Objects; classes are declared when their Workers are connected.
func (s *Session) openObjects() error {
	o := objectjs.Options{
		Root: string(s.state), Clock: s.opts.Clock, Alarms: s.opts.Alarms, Activity: s.lines.objectActivity,
		Key:         s.classes.key,
		HistoryKeep: s.opts.ObjectHistory, Distant: directory{s}.Object,
		Held: s.sharing.Held,
	}
	if s.opts.Cluster != nil {
		s.kept = s.newKept()
		o.Cluster, o.Distant, o.HistoryKeep = s.kept, s.sharing.Placed, -1
		s.stores.kept, s.stores.away = s.kept, s.sharing.Stored
		s.flows.place(s.kept, s.sharing.Stored)
	}
	if s.opts.Relaxed {
		o.Durability, o.Temporary = storage.Relaxed, s.opts.Ephemeral
	}
	if !s.opts.RelaxedLimits {
		o.Limits = storage.KVBackedLimits
	}
	if r := s.opts.Random; r != nil {
		o.Jitter = func() float64 {
			var b [4]byte
			if _, err := io.ReadFull(r, b[:]); err != nil {
				panic(err)
			}
			return float64(binary.LittleEndian.Uint32(b[:])) / (1 << 32)
		}
	}
	var err error
	s.objects, err = objectjs.New(o)
	return err
}

// declareClasses declares a configuration's classes, those of its migrations and those it binds (CL8, CL9, CL10). It
// ends classes that the configuration no longer names.
func (s *Session) declareClasses(worker string, cfg *wrangler.Config) error {
	var errs []error
	var names []string
	for _, c := range cfg.Classes {
		app, _ := s.containerApp(worker, cfg, c.Name)
		errs = append(errs, s.objects.Declare(objectjs.Class{Worker: worker, Name: c.Name,
			SQL: s.classes.isSQLite(worker, c.Name), Container: app}))
		names = append(names, c.Name)
	}
	return errors.Join(append(errs, s.objects.Forget(worker, names))...)
}

// objectBindings are a Worker's bindings to namespaces, of its own classes and of other Workers' (script_name).
func (s *Session) objectBindings(own string, cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, d := range cfg.DurableObjects {
		class := objectjs.Class{Worker: own, Name: d.ClassName}
		if d.ScriptName != "" {
			class.Worker = d.ScriptName
			if d.Environment != "" {
				class.Worker += "-" + d.Environment
			}
		}
		list = append(list, s.objects.Binding(d.Name, class))
	}
	return list
}
