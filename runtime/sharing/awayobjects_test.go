package sharing

import (
	"context"
	"errors"
	"io"
	"testing"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/archive"
	"eddy/runtime/control"
)

// oneObject is a node with an object.
type oneObject struct{ did string }

func (*oneObject) Namespaces(context.Context) ([]string, error)                    { return nil, nil }
func (*oneObject) List(context.Context, string) ([]control.Object, error)          { return nil, nil }
func (*oneObject) Alarms(context.Context, string) ([]control.Object, error)        { return nil, nil }
func (*oneObject) ResumeAlarms(context.Context) error                              { return nil }
func (o *oneObject) FireAlarm(control.Object) error                                { o.did = "fire"; return nil }
func (o *oneObject) DropAlarm(context.Context, control.Object) error               { o.did = "drop"; return nil }
func (o *oneObject) Delete(context.Context, control.Object) error                  { o.did = "delete"; return nil }
func (*oneObject) Evict(_ context.Context, _ control.Object, f bool) (bool, error) { return f, nil }

func (*oneObject) Find(_ context.Context, ns, id string) (control.Object, bool, error) {
	return control.Object{Namespace: ns, ID: id, State: "idle"}, true, nil
}

func (*oneObject) Show(_ context.Context, x control.Object) (control.ObjectDetail, error) {
	return control.ObjectDetail{Object: control.Object{Namespace: x.Namespace, ID: x.ID, Bytes: 1}, Keys: 7}, nil
}

func (*oneObject) Values(_ context.Context, _ control.Object, prefix string, limit int) ([]control.StoredValue,
	error) {
	return []control.StoredValue{{Key: prefix, Bytes: limit}}, nil
}

func (*oneObject) Query(_ context.Context, _ control.Object, q control.SQL) (control.Rows, error) {
	if q.SQL == "" {
		return control.Rows{}, errors.New("no statement")
	}
	return control.Rows{Columns: []string{q.SQL}, Rows: [][]any{{int64(9007199254740993)}}}, nil
}

// What is asked about an object of another node is answered as that node says, with what the database knows besides.
func TestAwayObjects(t *testing.T) {
	ctx, node := t.Context(), &oneObject{}
	at := control.Object{Namespace: "shop-Cart", ID: "ab", Node: "b"}
	var reads bool
	a := AwayObjects{Served: []string{"shop-Empty"},
		Kept: func(context.Context) ([]archive.Listed, error) {
			return []archive.Listed{{Namespace: "shop-Cart", ID: "ab", Name: "cart", Node: "b", Bytes: 100}}, nil
		},
		Way: func(n objectstore.Name) objectstore.Way {
			if key, id := n.Object(); key != at.Namespace {
				t.Errorf("asked %s %s", key, id)
			}
			return func(ask objectstore.Ask) (objectstore.Told, error) {
				reads = ask.Reads
				return ServeObject(ctx, node, at, ask.Head)
			}
		}}
	keys, err := a.Namespaces(ctx)
	if err != nil || len(keys) != 2 {
		t.Errorf("namespaces %v, %v", keys, err)
	}
	x, ok, err := a.Find(ctx, "shop-Cart", "ab")
	if err != nil || !ok || x.Name != "cart" || x.Node != "b" {
		t.Errorf("found %+v, %v, %v", x, ok, err)
	}
	if y, ok, err := a.Find(ctx, "shop-Cart", "cd"); err != nil || !ok || y.State != "idle" || y.Node != "b" {
		t.Errorf("in memory only: %+v, %v, %v", y, ok, err)
	}
	d, err := a.Show(ctx, x)
	if err != nil || d.Keys != 7 || d.Name != "cart" || d.Bytes != 100 || d.Node != "b" || !reads {
		t.Errorf("shown %+v, %v", d, err)
	}
	values, err := a.Values(ctx, x, "p", 3)
	if err != nil || len(values) != 1 || values[0].Key != "p" || values[0].Bytes != 3 {
		t.Errorf("values %+v, %v", values, err)
	}
	rows, err := a.Query(ctx, x, control.SQL{SQL: "SELECT", Write: true})
	if err != nil || len(rows.Rows) != 1 || reads {
		t.Errorf("rows %+v, %v", rows, err)
	} else if text, _ := rows.Rows[0][0].(interface{ String() string }); text.String() != "9007199254740993" {
		t.Errorf("a large integer became %v", rows.Rows[0][0])
	}
	if _, err := a.Query(ctx, x, control.SQL{}); err == nil || err.Error() != "no statement" {
		t.Errorf("error %v", err)
	}
	if was, err := a.Evict(ctx, x, true); err != nil || !was {
		t.Errorf("evicted %v, %v", was, err)
	}
	if err := a.Delete(ctx, x); err != nil || node.did != "delete" {
		t.Errorf("did %s, %v", node.did, err)
	}
	if err := a.FireAlarm(x); err != nil || node.did != "fire" {
		t.Errorf("did %s, %v", node.did, err)
	}
	if err := a.DropAlarm(ctx, x); err != nil || node.did != "drop" {
		t.Errorf("did %s, %v", node.did, err)
	}
}

// Whatever another node sends, the object answers.
func FuzzServeObject(f *testing.F) {
	for _, head := range []string{`{"op":"find"}`, `{"op":"query"}`, `{"op":"values","limit":-1}`, `{"op":"none"}`,
		`[`} {
		f.Add([]byte(head))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		told, err := ServeObject(t.Context(), &oneObject{}, control.Object{}, head)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, told.Body); err != nil {
			t.Error(err)
		}
	})
}
