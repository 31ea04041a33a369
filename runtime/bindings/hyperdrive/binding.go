package hyperdrive

import (
	_ "embed"
	"errors"
	"net/url"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/sockets"
	"eddy/runtime/worker"
)

//go:embed hyperdrive.js
var source string

// Parts are those of a connection string.
type Parts struct {
	Scheme, Host, Port, User, Password, Database string
	// Query is what follows the database: sslmode and the like.
	Query string
}

// Parse takes a connection string apart; all parts are required (BIND-43).
func Parse(text string) (p Parts, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return p, errors.New("the connection string is not a URL such as postgres://user:password@localhost:5432/db")
	}
	p = Parts{Scheme: u.Scheme, Host: u.Hostname(), Port: u.Port(), User: u.User.Username(),
		Database: strings.TrimPrefix(u.Path, "/"), Query: u.RawQuery}
	p.Password, _ = u.User.Password()
	port, tls := "5432", "sslmode=disable"
	switch p.Scheme {
	case "":
		return p, errors.New("You must specify the database protocol - e.g. 'postgresql'/'mysql'.")
	case "postgres", "postgresql":
	case "mysql":
		port, tls = "3306", "ssl-mode=disabled"
	default:
		return p, errors.New("Only PostgreSQL-compatible or MySQL-compatible databases are currently supported.")
	}
	switch {
	case p.Host == "":
		return p, errors.New("You must provide a hostname or IP address in your connection string - e.g. " +
			"'user:password@database-hostname.example.com:5432/databasename")
	case p.User == "":
		return p,
			errors.New("You must provide a username - e.g. 'user:password@database.example.com:port/databasename'")
	case p.Password == "":
		return p, errors.New("You must provide a password - e.g. " +
			"'user:password@database.example.com:port/databasename' ")
	case p.Database == "":
		return p, errors.New("You must provide a database name as the path component - e.g. /postgres")
	}
	if p.Port == "" {
		p.Port = port
	}
	if p.Query == "" {
		p.Query = tls
	}
	return p, nil
}

// String is the connection string that the Worker sees, whose parts are not encoded (BIND-42).
func (p Parts) String() string {
	return p.Scheme + "://" + p.User + ":" + p.Password + "@" + p.Host + ":" + p.Port + "/" + p.Database + "?" + p.Query
}

// Binding is a Hyperdrive binding: env[Key].
type Binding struct {
	Key   string
	Parts Parts
	// Missing, if set, is what each use fails with: there is no connection string, or a wrong one.
	Missing string
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	rt := iso.Runtime()
	p := rt.NewObject()
	for name, value := range map[string]string{"connectionString": b.Parts.String(), "host": b.Parts.Host,
		"port": b.Parts.Port, "user": b.Parts.User, "password": b.Parts.Password, "database": b.Parts.Database} {
		_ = p.Set(name, value)
	}
	return iso.Internal("cloudflare-internal:hyperdrive", source, sockets.Module(iso.Host).Get("connect"), p,
		rt.ToValue(b.Missing))
}
