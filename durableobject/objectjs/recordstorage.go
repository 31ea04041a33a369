package objectjs

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/durableobject/storage"
	"eddy/runtime/journal"
	"eddy/runtime/worker"
)

// printedValue bounds what is noted of one stored value, as JSON.
const printedValue = 64 << 10

// noteUse notes a use of the object's storage, if the journal takes those. value is nil for none.
func (i *instance) noteUse(op, key string, write bool, value func() []byte) {
	e := i.h.iso.RecordingAll()
	if e == nil {
		return
	}
	a := journal.Access{Store: "storage", Op: op, Key: key, Write: write, At: i.h.now().UnixMicro()}
	if value != nil {
		a.Value = value()
		a.Missing = a.Value == nil
	}
	e.AddAccess(a)
}

// shown is a stored value, in V8's wire format, as JSON.
func (i *instance) shown(b []byte) func() []byte {
	return func() []byte {
		if b == nil {
			return nil
		}
		var text string
		if ex := i.h.iso.Realm.Try(func() { text = i.printed(i.h.kit.decode(b)) }); ex != nil {
			return []byte(`"?"`)
		}
		return []byte(text)
	}
}

func (i *instance) printed(v goja.Value) string {
	list := worker.Printable(i.h.iso.Realm, []goja.Value{v}, printedValue)
	return strings.TrimSuffix(strings.TrimPrefix(list, "["), "]")
}

// noteEntries notes several keys with their values.
func (i *instance) noteEntries(op string, write bool, entries []storage.Pair) {
	if i.h.iso.RecordingAll() == nil {
		return
	}
	for _, e := range entries {
		i.noteUse(op, e.Key, write, i.shown(e.Value))
	}
}

// noteList notes the keys that a list found.
func (i *instance) noteList(o storage.ListOptions, entries []storage.Pair) {
	i.noteUse("list", o.Prefix, false, func() []byte {
		names := make([]string, len(entries))
		for j, e := range entries {
			names[j] = strings.ToValidUTF8(e.Key, "\uFFFD")
		}
		text, _ := json.Marshal(names) // texts always marshal
		return text
	})
}

// noteAlarmUse notes that an alarm was set, or deleted if at is zero.
func (i *instance) noteAlarmUse(op string, at time.Time) {
	i.noteUse(op, "", true, func() []byte {
		if at.IsZero() {
			return []byte("null")
		}
		return strconv.AppendInt(nil, at.UnixMilli(), 10)
	})
}

// noteSQL notes a statement with its parameters, which the engine has taken.
func (i *instance) noteSQL(query string, write bool, parameters []any) {
	e := i.h.iso.RecordingAll()
	if e == nil {
		return
	}
	a := journal.Access{Store: "storage", Op: "exec", Key: query, Write: write, At: i.h.now().UnixMicro()}
	if len(parameters) > 0 {
		text, err := json.Marshal(parameters)
		if err != nil { // a number that JSON lacks
			text, _ = json.Marshal(fmt.Sprint(parameters)) // a text always marshals
		}
		a.Options = string(text)
	}
	e.AddAccess(a)
}
