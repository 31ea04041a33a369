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

// RefusedError says that the server takes nobody in by that URL: it does not know the role, the password or the
// database.
type RefusedError struct {
	// Hosts are those of the URL, Reason what the server has said.
	Hosts, Reason string
	err           error
}

func (e *RefusedError) Error() string {
	return "the cluster's database at " + e.Hosts + " refuses the connection: " + e.Reason
}

func (e *RefusedError) Unwrap() error { return e.err }

// Away gives an *AwayError for an error that says that no connection came about, and a *RefusedError for one that stays
// as it is. Other errors are given back. Each is one line and says all once.
func (e *Engine) Away(err error) error {
	var connect *pgconn.ConnectError
	var said *pgconn.PgError
	if !errors.As(err, &connect) {
		return err
	}
	c := e.data.Config().ConnConfig
	list := []string{address(c.Host, c.Port)}
	for _, f := range c.Fallbacks {
		if at := address(f.Host, f.Port); !slices.Contains(list, at) { // one is there for each way to it
			list = append(list, at)
		}
	}
	hosts := strings.Join(list, ", ")
	if errors.As(err, &said) && (strings.HasPrefix(said.Code, "28") || strings.HasPrefix(said.Code, "3D")) {
		return &RefusedError{hosts, said.Message, err}
	}
	var reasons []string
	for line := range strings.SplitSeq(connect.Unwrap().Error(), "\n") {
		if reason := plainly(line); reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return &AwayError{hosts, strings.Join(reasons, "; ")}
}

// TookTooLong tells whether an error says that PostgreSQL has ended a statement or a transaction because it lasted for
// longer than an engine lets it (query_canceled, idle_in_transaction_session_timeout, lock_not_available): the machine
// stood still, or has too much to do. Whoever only reads may ask again.
func TookTooLong(err error) bool { return has(err, "57014") || has(err, "25P03") || has(err, "55P03") }

// plainly is why a host has not answered, without its address and the calls that were made.
func plainly(line string) string {
	for _, call := range []string{"dial error: ", "server error: ", "hostname resolving error: "} {
		if _, after, ok := strings.Cut(line, call); ok {
			line = after
		}
	}
	for _, call := range []string{"dial ", "lookup ", "read ", "write "} {
		if strings.HasPrefix(line, call) {
			line = line[strings.LastIndex(line, ": ")+1:]
		}
	}
	return strings.TrimSpace(line)
}

// address is where a host of a URL listens; one that begins with a slash is the folder of a socket.
func address(host string, port uint16) string {
	if strings.HasPrefix(host, "/") {
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}
