package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"eddy/runtime/cluster/postgres"
	"eddy/runtime/report"
)

// A node whose database has ended the first question, since everything stood still meanwhile, asks again; one that is
// told what will not change ends.
func TestWhenThereAsksAgain(t *testing.T) {
	e, err := postgres.Open("postgres://eddy@127.0.0.1:1/eddy") // nobody connects
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var out bytes.Buffer
	said := []error{
		&pgconn.PgError{Code: "57014", Message: "canceling statement due to statement timeout"},
		nil,
		&pgconn.PgError{Code: "42501", Message: "permission denied"},
	}
	ask := func(context.Context) (int, error) {
		err := said[0]
		said = said[1:]
		return len(said), err
	}
	rep := report.New(report.Options{Out: &out})
	if left, err := whenThere(t.Context(), e, rep, ask); err != nil || left != 1 {
		t.Errorf("%d questions are left, %v", left, err)
	}
	for _, want := range []string{"is not ready: ", "statement timeout", "this node starts"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
	if _, err := whenThere(t.Context(), e, rep, ask); err == nil || len(said) != 0 {
		t.Errorf("permission denied: %v, %d left", err, len(said))
	}
}
