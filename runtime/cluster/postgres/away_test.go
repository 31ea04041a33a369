package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A server that does not answer is told in one line, whatever hosts the URL has; what stays as it is is no such error.
func TestAway(t *testing.T) {
	// Nobody listens at port 1.
	nobody := opened(t, "postgres://eddy@127.0.0.1:1,127.0.0.2:1/eddy")
	_, err := nobody.Examine(t.Context())
	var away *AwayError
	if err = nobody.Away(err); !errors.As(err, &away) || away.Hosts != "127.0.0.1:1, 127.0.0.2:1" ||
		strings.ContainsAny(err.Error(), "\n\t") || strings.Count(err.Error(), "refused") != 1 ||
		strings.Count(err.Error(), "127.0.0.1") != 1 {
		t.Errorf("%v", err)
	}
	unknown := opened(t, strings.Replace(server.URL, "/postgres?", "/nothing?", 1))
	_, err = unknown.Examine(t.Context())
	var refused *RefusedError
	if err = unknown.Away(err); !errors.As(err, &refused) || !has(err, "3D000") ||
		strings.ContainsAny(err.Error(), "\n\t") || strings.Count(err.Error(), "does not exist") != 1 {
		t.Errorf("a database that is not there: %v", err)
	}
	if err := nobody.Away(nil); err != nil {
		t.Error(err)
	}
}

// What a PostgreSQL has ended because it took too long may be asked again; what it refuses may not.
func TestTookTooLong(t *testing.T) {
	e := opened(t, server.URL)
	_, err := e.data.Exec(t.Context(), "begin; set local statement_timeout = 1; select pg_sleep(60)")
	if !TookTooLong(fmt.Errorf("look: %w", err)) {
		t.Errorf("a statement over its time: %v", err)
	}
	if _, err = e.data.Exec(t.Context(), "select 1 from nothing"); err == nil || TookTooLong(err) || TookTooLong(nil) {
		t.Errorf("a table that is not there: %v", err)
	}
}
