package explorer

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/statedir"
)

// A page that is about all nodes has what those that answer have, and says which do not.
func TestNodesThatDoNotAnswer(t *testing.T) {
	ask := func(_ context.Context, node string, q url.Values, told func(string, []byte) error) (
		map[string]error, error) {
		failed := map[string]error{}
		if node == "" || node == "b" {
			failed["b"] = errors.New("it answers 503")
		}
		switch q.Get("what") {
		case "mail":
			return failed, errors.Join(told("a", []byte(`[{"file":"1.eml","at":"2026-01-01T00:00:00Z"}]`)),
				told("c", []byte(`[{"file":"2.eml","at":"2026-01-02T00:00:00Z"}]`)))
		case "points":
			return failed, errors.Join(told("c", []byte(`{"rows":{"columns":["n"],"rows":[["2"]]}}`)),
				told("a", []byte(`{}`)))
		}
		return failed, nil
	}
	x := New(Options{Workers: func() []Worker { return nil }, Cluster: &Nodes{Ask: ask}})
	defer x.Close()
	want := []string{"Node b does not say what it has: it answers 503."}
	mails, err := x.mail(httptest.NewRequest("GET", "/", nil))
	if err != nil || len(mails.Mail) != 2 || mails.Mail[0].Node != "c" || mails.Mail[1].Node != "a" ||
		!slices.Equal(mails.Missing, want) {
		t.Errorf("%+v, %v", mails, err)
	}
	points, err := x.analytics(httptest.NewRequest("GET", "/?sql=SELECT+1", nil))
	if err != nil || !slices.Equal(points.Missing, want) || points.Rows == nil ||
		!slices.Equal(points.Rows.Columns, []string{"node", "n"}) || len(points.Rows.Rows) != 1 ||
		!slices.Equal(points.Rows.Rows[0], []any{"c", "2"}) {
		t.Errorf("%+v, %v", points, err)
	}
	r := httptest.NewRequest("GET", "/?node=b", nil)
	r.SetPathValue("file", "1.eml")
	if _, err := x.oneMail(r); err == nil || err.Error() != want[0] {
		t.Errorf("a mail of a node that does not answer: %v", err)
	}
}

// What a node is asked and does not know is an error; a folder that is not there has no mail.
func TestOwn(t *testing.T) {
	o := Own{State: statedir.Dir(t.TempDir()), Clock: clock.NewVirtual(time.Unix(0, 0), 1)}
	ask := func(what string) any {
		t.Helper()
		got, err := o.Tell(t.Context(), url.Values{"what": {what}, "file": {"1.eml"}, "sql": {"SELECT 1"}})
		if err != nil {
			t.Error(err)
		}
		return got
	}
	if got := ask("mail").([]MailRow); len(got) != 0 {
		t.Errorf("mail: %v", got)
	}
	if got := ask("message").(*MailPage); got != nil {
		t.Errorf("message: %v", got)
	}
	if got := ask("points").(Points); got != (Points{}) {
		t.Errorf("points: %v", got)
	}
	if err := os.MkdirAll(o.State.Email(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.State.Email(), "1.eml"), []byte("Subject: x\r\n\r\ny"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ask("message").(*MailPage); got == nil || got.Subject != "x" || got.Parts[0].Text != "y" {
		t.Errorf("message: %+v", got)
	}
	if _, err := o.Tell(t.Context(), url.Values{"what": {"weather"}}); err == nil {
		t.Error("a node tells the weather")
	}
}
