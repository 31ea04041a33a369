package explorer

import (
	"errors"
	"net/http"
	"slices"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/secretsstore"
)

// SecretsPage is the model of a store of secrets. It never has their values.
type SecretsPage struct {
	StoreRow
	Secrets []SecretRow `json:"secrets"`
}

// SecretRow is a secret: one that is stored, or that a Worker binds.
type SecretRow struct {
	Name   string `json:"name"`
	Stored bool   `json:"stored"`
	Bound  bool   `json:"bound"`
}

func (x *Server) secretsPages() []page {
	return []page{of("secrets/{store}", "secrets", "A store of secrets: their names, which of them are stored, and "+
		"which a Worker binds.", x.secrets)}
}

func (x *Server) secrets(r *http.Request) (*SecretsPage, error) {
	l, err := x.stores(r)
	if err != nil {
		return nil, err
	}
	p := &SecretsPage{Secrets: []SecretRow{}}
	if p.StoreRow, err = x.bound(l.Secrets, r.PathValue("store"), "store of secrets"); err != nil {
		return nil, err
	}
	o := secretsstore.Options{State: x.o.State, ID: p.ID, Clock: x.o.Clock}
	if x.o.Cluster != nil {
		o.Way = x.o.Cluster.Stored(objectstore.Name{Kind: secretsstore.Kind, ID: p.ID})
	}
	s := secretsstore.New(o)
	stored, err := s.Secrets()
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	for _, one := range stored {
		p.Secrets = append(p.Secrets, SecretRow{one.Name, true, slices.Contains(p.names, one.Name)})
	}
	for _, name := range p.names {
		if !slices.ContainsFunc(p.Secrets, func(s SecretRow) bool { return s.Name == name }) {
			p.Secrets = append(p.Secrets, SecretRow{name, false, true})
		}
	}
	return p, nil
}
