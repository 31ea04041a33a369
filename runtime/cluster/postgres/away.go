package postgres

import (
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// AwayError says that the server does not answer, or takes nobody in yet. It may be there later.
type AwayError struct {
	// Hosts are those of the URL, Reason what each has said, in one line.
	Hosts, Reason string
}

func (e *AwayError) Error() string {
	return "the cluster's database at " + e.Hosts + " does not answer: " + e.Reason
}

// Away gives an *AwayError for an error that says that no connection came about, but for one that stays as it is: a
// role, a password or a database that the server does not know. Other errors are given back.
func (e *Engine) Away(err error) error {
	var connect *pgconn.ConnectError
	var said *pgconn.PgError
	if !errors.As(err, &connect) {
		return err
	}
	if errors.As(err, &said) && (strings.HasPrefix(said.Code, "28") || strings.HasPrefix(said.Code, "3D")) {
		return err
	}
	c := e.data.Config().ConnConfig
	hosts := []string{address(c.Host, c.Port)}
	for _, f := range c.Fallbacks {
		if at := address(f.Host, f.Port); !slices.Contains(hosts, at) { // one is there for each way to it
			hosts = append(hosts, at)
		}
	}
	var reasons []string
	for line := range strings.SplitSeq(connect.Unwrap().Error(), "\n") {
		if !slices.Contains(reasons, line) {
			reasons = append(reasons, line)
		}
	}
	return &AwayError{strings.Join(hosts, ", "), strings.Join(reasons, "; ")}
}

// address is where a host of a URL listens; one that begins with a slash is the folder of a socket.
func address(host string, port uint16) string {
	if strings.HasPrefix(host, "/") {
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}
