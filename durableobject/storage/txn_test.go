package storage_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
)

// script runs a transaction scenario written as words, and checks the keys
// that are left. b/s/c/r = Begin, Savepoint, Commit and Rollback of the
// innermost transaction; C/R = end of the turn; reopen; a word like +k or -k
// puts or deletes a key.
func script(t *testing.T, s *storage.Store, text string) {
	t.Helper()
	var open []*storage.Txn
	for _, word := range strings.Fields(text) {
		var err error
		switch {
		case word == "b", word == "s":
			var txn *storage.Txn
			if word == "b" {
				txn, err = s.Begin()
			} else {
				txn, err = s.Savepoint()
			}
			open = append(open, txn)
		case word == "c":
			err = open[len(open)-1].Commit()
			open = open[:len(open)-1]
		case word == "r":
			err = open[len(open)-1].Rollback()
			open = open[:len(open)-1]
		case word == "C":
			err = s.Commit()
		case word == "R":
			err = s.Rollback()
			open = nil
		case word == "reopen":
			s.Release()
		case word[0] == '+':
			put(t, s, word[1:])
		case word[0] == '-':
			_, err = s.Delete(word[1:])
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", text, word, err)
		}
	}
}

// TX1, TX3, TX6, TX7: what is kept and what is not.
func TestTransactions(t *testing.T) {
	for text, want := range map[string]string{
		"+a +b C":                        "a b",
		"+a R +b C":                      "b",
		"+a C +b R":                      "a",
		"b +a c":                         "a",
		"b +a r":                         "",
		"+x b +a r":                      "x", // what came before the transaction is committed by it
		"b +a C +b r":                    "",  // the end of a turn does not end it
		"b +a b +b r +c c":               "a c",
		"b +a b +b c +c r":               "",
		"b +a b +b b +c r c c":           "a b",
		"s +a c +b C":                    "a b",
		"+x s +a r +b C":                 "b x",
		"+x s +a r R":                    "",
		"+x s +a s +b r +c c C":          "a c x",
		"+a C b -a r":                    "a",
		"+a C b -a c":                    "",
		"b +a R +b C":                    "b",
		"+a C reopen +b R reopen":        "a",
		"b +a reopen c":                  "a", // an open transaction keeps the file open
		"s +a r +b C reopen +c C reopen": "b c",
	} {
		s := store(t, storage.Options{})
		script(t, s, text)
		if got := keys(t, s, storage.ListOptions{}); got != want {
			t.Errorf("%s: left %q, want %q", text, got, want)
		}
		must(t, s.Rollback())
	}
}

func TestTransactionOrder(t *testing.T) {
	s := store(t, storage.Options{})
	outer, err := s.Begin()
	must(t, err)
	inner, err := s.Begin()
	must(t, err)
	if err := outer.Rollback(); !errors.Is(err, storage.ErrNestedTransaction) {
		t.Errorf("outer first: %v", err)
	}
	must(t, inner.Commit())
	if err := inner.Commit(); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("commit twice: %v", err)
	}
	must(t, inner.Rollback()) // TX1: calling it again is fine
	must(t, outer.Rollback())
	if err := s.DeleteAll(false); err != nil {
		t.Error(err)
	}
	txn, err := s.Begin()
	must(t, err)
	if err := s.DeleteAll(false); !errors.Is(err, storage.ErrDeleteAllInTransaction) {
		t.Errorf("deleteAll inside (KV15): %v", err)
	}
	must(t, txn.Rollback())
}

// TX3: SQL and keys are one transaction.
func TestSQLAndKVTogether(t *testing.T) {
	s := store(t, storage.Options{})
	must(t, exec(s, "CREATE TABLE t(a)"))
	must(t, s.Commit())
	must(t, exec(s, "INSERT INTO t VALUES(1)"))
	put(t, s, "k")
	must(t, s.Rollback())
	if got := rows(t, s, "SELECT count(*) FROM t"); got != "0" {
		t.Errorf("rows left: %s", got)
	}
	if got := keys(t, s, storage.ListOptions{}); got != "" {
		t.Errorf("keys left: %q", got)
	}
}

// SQL19: a deferred constraint that the commit finds violated breaks the
// Store; the last good state is there after a reset.
func TestCommitFailure(t *testing.T) {
	for _, explicit := range []bool{false, true} {
		ns := namespace(t, storage.Options{})
		s := ns.Store(objectID)
		must(t, exec(s, "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY "+
			"DEFERRED); INSERT INTO p VALUES(1)"))
		must(t, s.Commit())
		var err error
		if explicit {
			txn, e := s.Begin()
			must(t, e)
			must(t, exec(s, "INSERT INTO c VALUES(7)"))
			err = txn.Commit()
		} else {
			must(t, exec(s, "INSERT INTO c VALUES(7)"))
			err = s.Commit()
		}
		const want = "Durable Object was reset and rolled back to its last known good state because the application " +
			"left the database in a state where constraints were violated: FOREIGN KEY constraint failed: " +
			"SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)"
		var broken *storage.BrokenError
		if !errors.As(err, &broken) || err.Error() != want || broken.Path != s.Path() {
			t.Errorf("explicit=%v: %v", explicit, err)
		}
		if err := s.Put("k", nil); err == nil || err.Error() != want {
			t.Errorf("explicit=%v: put after it: %v", explicit, err)
		}
		s.Close()
		if got := rows(t, ns.Store(objectID),
			"SELECT (SELECT count(*) FROM p), (SELECT count(*) FROM c)"); got != "1,0" {
			t.Errorf("explicit=%v: left %s", explicit, got)
		}
	}
}

// A constraint that rolls the whole transaction back breaks the Store too.
func TestAutomaticRollback(t *testing.T) {
	s := store(t, storage.Options{})
	must(t, exec(s, "CREATE TABLE t(a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO t VALUES(1)"))
	must(t, s.Commit())
	put(t, s, "k")
	err := exec(s, "INSERT INTO t VALUES(1)")
	var broken *storage.BrokenError
	if !errors.As(err, &broken) || !sqlite.Constraint(err) {
		t.Fatalf("error = %v", err)
	}
	if err := s.Commit(); !errors.As(err, &broken) {
		t.Errorf("commit: %v", err)
	}
}

// KV15: everything goes, the alarm too unless it is to stay; open cursors are
// canceled; what is written afterwards stays.
func TestDeleteAll(t *testing.T) {
	for _, keep := range []bool{false, true} {
		ns := namespace(t, storage.Options{})
		s := ns.Store(objectID)
		at := time.Unix(2_000_000_000, 5)
		must(t, s.SetAlarm(at))
		must(t, exec(s, "CREATE TABLE t(a); INSERT INTO t VALUES(1),(2)"))
		put(t, s, "k")
		must(t, s.Commit())
		c, err := s.Exec("SELECT * FROM t")
		must(t, err)
		must(t, exec(s, "INSERT INTO t VALUES(3)"))
		must(t, s.DeleteAll(keep))
		if _, _, err := c.Next(); !errors.Is(err, storage.ErrDeleted) {
			t.Errorf("cursor: %v", err)
		}
		put(t, s, "after")
		must(t, s.Commit())
		if got := keys(t, s, storage.ListOptions{}); got != "after" {
			t.Errorf("left %q", got)
		}
		if got := rows(t, s,
			"SELECT group_concat(name) FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'"); got != "<nil>" {
			t.Errorf("tables left: %s", got)
		}
		got, err := s.Alarm()
		must(t, err)
		alarms, err := ns.Alarms()
		must(t, err)
		if got.Equal(at) != keep || (len(alarms) == 1) != keep {
			t.Errorf("keep=%v: alarm %v, index %v", keep, got, alarms)
		}
	}
}
