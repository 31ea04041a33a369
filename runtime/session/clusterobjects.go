package session

import (
	"context"
	"errors"
	"io"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/archive"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/control"
	"eddy/runtime/sharing"
)

// inspectorOf is where the control API sees Durable Objects: in a cluster on whichever nodes they are.
func (s *Session) inspectorOf() control.ObjectInspector {
	here := objectInspector{s.objects}
	if s.opts.Cluster == nil {
		return here
	}
	return clusterInspector{sharing.AwayObjects{Way: s.sharing.Stored, Kept: s.keptObjects}, here}
}

// clusterInspector adds the namespaces of the Workers that run now.
type clusterInspector struct {
	sharing.AwayObjects
	here objectInspector
}

// Namespaces implements [control.ObjectInspector].
func (c clusterInspector) Namespaces(ctx context.Context) (keys []string, err error) {
	all := c.AwayObjects
	if all.Served, err = c.here.Namespaces(ctx); err != nil {
		return nil, err
	}
	return all.Namespaces(ctx)
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
