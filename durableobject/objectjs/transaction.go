package objectjs

import (
	"github.com/dop251/goja"

	"eddy/durableobject/storage"
)

// transaction is one call of storage.transaction (TX1 to TX5).
type transaction struct {
	i          *instance
	txn        *storage.Txn
	rolledBack bool
	ended      bool
	alarm      alarmMark
}

// check throws if the transaction has ended (TX2).
func (t *transaction) check(op string) {
	r := t.i.h.iso.Realm
	if t.rolledBack {
		r.ThrowError("Error", "Cannot %s() on rolled back transaction", op)
	}
	if t.ended {
		r.ThrowError("Error", "Cannot call %s() on transaction that has already committed: did you move `txn` "+
			"outside of the closure?", op)
	}
}

func (t *transaction) rollback() {
	if t.rolledBack {
		return
	}
	t.check("rollback")
	t.over()
	t.i.fail(t.txn.Rollback())
	t.rolledBack = true
	t.i.alarmBack(t.alarm)
}

// over ends the transaction: what the closure does from now on is outside of it.
func (t *transaction) over() { t.i.transactions-- }

// transaction runs the closure as a critical section (TX4), with the time limit of one (GT6).
func (a *area) transaction(fn goja.Callable) goja.Value {
	i := a.i
	t := &transaction{i: i}
	return i.critical(func() goja.Value {
		a.check("transaction")
		i.finishTurn()
		var err error
		if t.txn, err = i.store.Begin(); err != nil {
			i.fail(err)
		}
		i.transactions++
		t.alarm = i.alarmMark()
		v, err := fn(goja.Undefined(), i.h.kit.transaction.Wrap(&area{i: i, tx: t}))
		if err != nil {
			panic(i.h.iso.Realm.ErrorValue(err))
		}
		return v
	}, func(v, failure goja.Value, settle func(value, failure goja.Value)) {
		if t.txn == nil {
			settle(nil, failure)
			return
		}
		ex := i.h.iso.Realm.Try(func() { t.finish(failure == nil) })
		switch {
		case i.gone:
		case failure != nil:
			settle(nil, failure)
		case ex != nil:
			settle(nil, ex)
		default:
			settle(v, nil)
		}
	})
}

// finish commits or rolls back, unless the closure has done that.
func (t *transaction) finish(commit bool) {
	t.ended = true
	if t.rolledBack {
		return
	}
	t.over()
	if !commit {
		t.i.fail(t.txn.Rollback())
		t.i.alarmBack(t.alarm)
		return
	}
	confirm := t.i.object.Output.Lock()
	if err := t.txn.Commit(); err != nil {
		t.i.reset(storageFailure(err))
		return
	}
	t.i.syncAlarm()
	t.i.makeDurable(confirm)
}

// transactionSync runs fn as a savepoint of the turn (TX6).
func (a *area) transactionSync(fn goja.Callable) goja.Value {
	s := a.check("transactionSync")
	txn, err := s.Savepoint()
	a.fail(err)
	a.i.wrote()
	mark := a.i.alarmMark()
	v, err := fn(goja.Undefined())
	if err != nil {
		ex := a.i.h.iso.Realm.ErrorValue(err)
		if rollbackErr := txn.Rollback(); rollbackErr != nil {
			a.fail(rollbackErr)
		}
		a.i.alarmBack(mark)
		panic(ex)
	}
	a.fail(txn.Commit())
	return v
}
