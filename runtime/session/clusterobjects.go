package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/url"
	"slices"
	"time"

	"eddy/durableobject"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/archive"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/control"
	"eddy/runtime/explorer"
	"eddy/runtime/sharing"
)

// inspectorOf is where the control API sees Durable Objects: in a cluster on whichever nodes they are.
func (s *Session) inspectorOf() control.ObjectInspector {
	here := objectInspector{s.objects}
	if s.opts.Cluster == nil {
		return here
	}
	return clusterInspector{sharing.AwayObjects{Way: s.sharing.Stored, Kept: s.keptObjects}, here, s.sharing.Ask}
}

// clusterInspector adds the namespaces of the Workers that run now.
type clusterInspector struct {
	sharing.AwayObjects
	here objectInspector
	ask  func(ctx context.Context, node string, q url.Values, told func(node string, answer []byte) error) (
		failed map[string]error, err error)
}

// Namespaces implements [control.ObjectInspector].
func (c clusterInspector) Namespaces(ctx context.Context) (keys []string, err error) {
	all := c.AwayObjects
	if all.Served, err = c.here.Namespaces(ctx); err != nil {
		return nil, err
	}
	return all.Namespaces(ctx)
}

// askObjects is what is asked of [Session.Tell] for the objects that are in memory.
const askObjects = "objects"

// Tell implements [sharing.Local].
func (s *Session) Tell(ctx context.Context, q url.Values) (any, error) {
	if q.Get("what") == askObjects {
		return s.liveObjects(ctx, q.Get("namespace"))
	}
	return explorer.Own{State: s.state, Clock: s.opts.Clock}.Tell(ctx, q)
}

// liveObjects are the objects of a namespace that are in this node's memory.
func (s *Session) liveObjects(ctx context.Context, namespace string) ([]control.Object, error) {
	live := []control.Object{}
	keys, err := objectInspector{s.objects}.Namespaces(ctx)
	if err != nil || !slices.Contains(keys, namespace) {
		return live, err
	}
	list, err := objectInspector{s.objects}.List(ctx, namespace)
	for _, x := range list {
		if x.State != coldObject && s.kept.Here(namespace, x.ID) {
			x.Node = s.opts.Cluster.Name()
			live = append(live, x)
		}
	}
	return live, err
}

// coldObject is the state of an object that is not in memory.
var coldObject = durableobject.Cold.String()

// liveTime is how long nodes may take to say which objects they have in memory.
const liveTime = 2 * time.Second

// List implements [control.ObjectInspector]: what the database keeps, with the state in which each is on its node, and
// what is in memory only. Of a node that does not answer the states are unknown.
func (c clusterInspector) List(ctx context.Context, namespace string) ([]control.Object, error) {
	list, err := c.AwayObjects.List(ctx, namespace)
	if err != nil {
		return nil, err
	}
	live := map[string]control.Object{}
	asking, cancel := context.WithTimeout(ctx, liveTime)
	defer cancel()
	failed, err := c.ask(asking, "", url.Values{"what": {askObjects}, "namespace": {namespace}},
		func(_ string, text []byte) error {
			var list []control.Object
			if err := json.Unmarshal(text, &list); err != nil {
				return err
			}
			for _, x := range list {
				live[x.ID] = x
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	for i, x := range list {
		now, ok := live[x.ID]
		delete(live, x.ID)
		switch {
		case ok:
			list[i].State, list[i].Sockets, list[i].Node = now.State, now.Sockets, now.Node
		case x.Node != "" && failed[x.Node] == nil:
			list[i].State = coldObject
		}
	}
	list = slices.AppendSeq(list, maps.Values(live))
	slices.SortFunc(list, func(a, b control.Object) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// keptObjects lists what the cluster's database keeps.
func (s *Session) keptObjects(ctx context.Context) ([]archive.Listed, error) {
	return s.listed(ctx, archive.Objects)
}

// keptStores lists the stores of bindings that the cluster's database keeps.
func (s *Session) keptStores(ctx context.Context) ([]archive.Listed, error) {
	return s.listed(ctx, archive.Stores)
}

func (s *Session) listed(ctx context.Context, list func(context.Context, engine.Archive) ([]archive.Listed, error)) (
	[]archive.Listed, error) {
	kept := s.opts.Cluster.Archive()
	if kept == nil {
		return nil, errors.New("this cluster's engine cannot list what it keeps")
	}
	return list(ctx, kept)
}

// inspectedObject answers what other nodes, or this one, ask about an object while it is here. Implements
// [objectstore.Service].
type inspectedObject struct {
	s *Session
	x control.Object
}

// inspectTime bounds how long an object's file may take to come, and a question to be answered.
const inspectTime = 30 * time.Second

// Serve implements [objectstore.Service].
func (o inspectedObject) Serve(head []byte, _ io.Reader) (told objectstore.Told, err error) {
	ctx, cancel := context.WithTimeout(o.s.stopping, inspectTime)
	defer cancel()
	if err := o.s.objects.Present(ctx, o.x.Namespace, o.x.ID); err != nil {
		return told, objectstore.ErrElsewhere
	}
	told, err = sharing.ServeObject(ctx, objectInspector{o.s.objects}, o.x, head)
	if err != nil && !o.s.kept.Here(o.x.Namespace, o.x.ID) {
		err = objectstore.ErrDisconnected // it went away meanwhile
	}
	return told, err
}

// Leave implements [objectstore.Service].
func (o inspectedObject) Leave() error { return nil }

// Close implements [objectstore.Service].
func (o inspectedObject) Close() error { return nil }
