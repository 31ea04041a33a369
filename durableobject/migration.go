package durableobject

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Ledger remembers what migrations have done in a state directory: which namespace, by its unique key, belongs to which
// class. Ids are made with the key (ID2), so objects can only keep their ids, as they do in production when their class
// is renamed or moves to another Worker, if the class keeps the key.
//
// It is plain data; whoever has the state directory loads and stores it.
type Ledger struct {
	Workers map[string]*WorkerLedger `json:"workers"`
}

// UnmarshalJSON refuses a Worker of which nothing is said. Without its record nobody knows whose its objects are.
func (l *Ledger) UnmarshalJSON(b []byte) error {
	type plain Ledger
	if err := json.Unmarshal(b, (*plain)(l)); err != nil {
		return err
	}
	for name, w := range l.Workers {
		if w == nil {
			return fmt.Errorf("the record of Worker %q is empty; put a copy of the file in its place", name)
		}
	}
	return nil
}

// WorkerLedger is what is known of one Worker.
type WorkerLedger struct {
	// Tags are the migrations that were applied and what they said. In production each is applied once.
	Tags map[string]string `json:"tags,omitempty"`
	// Namespaces are its namespaces by the origin of their lineage.
	Namespaces map[string]LedgerNamespace `json:"namespaces"`
}

// LedgerNamespace is one namespace.
type LedgerNamespace struct {
	Key    string `json:"key"`
	Class  string `json:"class"` // what it was called last
	SQLite bool   `json:"sqlite"`
	// Listed says that a migration created the class. What kind of storage an unlisted class has was never promised.
	Listed bool `json:"listed"`
}

// Lineage is the objects of one class through all its names, as a configuration tells it.
type Lineage struct {
	Origin string
	// Names are the classes that the objects belonged to, the present one last; Worker is never empty.
	Names          []ClassName
	SQLite, Listed bool
	Deleted        bool
	Tag            string // of the migration that changed it last
}

func (x Lineage) now() ClassName { return x.Names[len(x.Names)-1] }

// transferred tells whether it came from another Worker.
func (x Lineage) transferred() bool { return x.Names[0].Worker != x.now().Worker }

// ClassName is a class of a Worker.
type ClassName struct{ Worker, Class string }

func (c ClassName) key() string { return c.Worker + "-" + c.Class }

// Migrations is a Worker's configuration as far as it concerns the Ledger.
type Migrations struct {
	Worker   string
	Tags     []MigrationTag // in order
	Lineages []Lineage
}

// MigrationTag is one migration and what it says.
type MigrationTag struct{ Tag, Text string }

// Plan is what has to happen before the Worker's objects may run.
type Plan struct {
	Worker string
	// Keys are the unique keys of the Worker's classes.
	Keys map[string]string
	// SQLite are the classes that are SQLite-backed, transferred ones included if their kind is known.
	SQLite map[string]bool
	// Discard are namespaces whose class was deleted; their objects are not to be found any more.
	Discard []Discarded
	// Refusals forbid the start. Notes are worth knowing, Warnings more so.
	Refusals, Warnings []Finding
	Notes              []string

	ledger *WorkerLedger
	taken  []owner // namespaces that are taken over from other Workers
}

// Discarded is a namespace whose class was deleted.
type Discarded struct {
	Key, Class, Tag string
	Objects         int
}

// Finding is about one lineage or, if Lineage is -1, one tag.
type Finding struct {
	Lineage        int
	Tag            string
	Text, Fix, Why string
}

type owner struct{ worker, origin string }

// Plan compares a configuration with what was applied before and with what is on the disk: holds counts the objects
// that a namespace's folder has. Plan changes nothing; see [Ledger.Apply].
//
// The Ledger decides what it knows. What it does not know, because the directory was used by the reference or is new,
// is taken as it lies there: the newest name that has objects. So the first session on a directory moves and removes
// nothing.
func (l *Ledger) Plan(m Migrations, holds func(key string) int) Plan {
	old := l.Workers[m.Worker]
	first := old == nil
	if first {
		old = &WorkerLedger{}
	}
	p := Plan{Worker: m.Worker, Keys: map[string]string{}, SQLite: map[string]bool{},
		ledger: &WorkerLedger{Tags: maps.Clone(old.Tags), Namespaces: maps.Clone(old.Namespaces)}}
	if p.ledger.Tags == nil {
		p.ledger.Tags = map[string]string{}
	}
	if p.ledger.Namespaces == nil {
		p.ledger.Namespaces = map[string]LedgerNamespace{}
	}
	p.tags(m, first, holds)

	present := map[string]bool{}
	for _, x := range m.Lineages {
		present[x.Origin] = present[x.Origin] || !x.Deleted
	}
	// Deletions first: a class may be created again under the same name.
	gone := map[string]bool{}
	count := func(key string) int {
		if gone[key] {
			return 0
		}
		return holds(key)
	}
	for _, x := range m.Lineages {
		if !x.Deleted || present[x.Origin] {
			continue
		}
		n, known := p.ledger.Namespaces[x.Origin]
		if !known {
			continue
		}
		delete(p.ledger.Namespaces, x.Origin)
		if c := count(n.Key); c > 0 {
			p.Discard = append(p.Discard, Discarded{Key: n.Key, Class: n.Class, Tag: x.Tag, Objects: c})
		}
		gone[n.Key] = true
	}
	taken := l.taken(m.Worker)
	for _, n := range p.ledger.Namespaces {
		taken[n.Key] = true
	}
	for i, x := range m.Lineages {
		if !x.Deleted && x.now().Class != "" {
			p.settle(l, i, x, taken, count)
		}
	}
	return p
}

// taken are the keys that belong to other Workers' classes.
func (l *Ledger) taken(worker string) map[string]bool {
	taken := map[string]bool{}
	for name, w := range l.Workers {
		if name == worker {
			continue
		}
		for _, n := range w.Namespaces {
			taken[n.Key] = true
		}
	}
	return taken
}

// tags notes the migrations that are new. It warns about a migration whose text has changed since it was applied,
// unless none of the classes that it names has objects: in that case the old text has not done anything.
func (p *Plan) tags(m Migrations, first bool, holds func(key string) int) {
	for _, t := range m.Tags {
		was, applied := p.ledger.Tags[t.Tag]
		switch {
		case !applied:
			if !first {
				p.Notes = append(p.Notes, fmt.Sprintf("Migration %q was applied: %s.", t.Tag, t.Text))
			}
		case was != t.Text && !p.concerns(was+" "+t.Text, holds):
			p.Notes = append(p.Notes, fmt.Sprintf("Migration %q was rewritten: %s. Its classes have no objects yet.",
				t.Tag, t.Text))
		case was != t.Text:
			p.Warnings = append(p.Warnings, Finding{Lineage: -1, Tag: t.Tag,
				Text: fmt.Sprintf("Migration %q has changed since it was applied.", t.Tag),
				Why:  fmt.Sprintf("It said: %s. A tag is applied once: production ignores what it says now.", was),
				Fix:  "put it back and add a migration with a tag of its own"})
		}
		p.ledger.Tags[t.Tag] = t.Text
	}
}

// concerns tells whether a text of migrations names a class that has objects. One that names none may concern any.
func (p *Plan) concerns(text string, holds func(key string) int) bool {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	named, held, any := 0, false, false
	for origin, n := range p.ledger.Namespaces {
		has := holds(n.Key) > 0
		any = any || has
		if slices.Contains(words, n.Class) || slices.Contains(words, origin) {
			named++
			held = held || has
		}
	}
	return held || named == 0 && any
}

// settle finds the namespace of one lineage.
func (p *Plan) settle(l *Ledger, i int, x Lineage, taken map[string]bool, count func(string) int) {
	now := x.now()
	n, known := p.ledger.Namespaces[x.Origin]
	if !known {
		n = p.choose(l, x, taken, count)
	} else {
		if c := count(n.Key); c > 0 && n.Listed && x.Listed && n.SQLite != x.SQLite && !x.transferred() {
			p.Refusals = append(p.Refusals, kindChanged(i, x, n, c))
		}
		if other := now.key(); other != n.Key && !taken[other] {
			if c := count(other); c > 0 {
				p.Warnings = append(p.Warnings, Finding{Lineage: i,
					Text: fmt.Sprintf("Class %s has the objects of namespace %s; those of %s (%s) are not used.",
						now.Class, n.Key, other, objects(c)),
					Why: "A class that was renamed or transferred keeps its objects and their ids, as in " +
						"production. wrangler dev gives it a new namespace instead, and must have run here.",
					Fix: "eddy objects list --namespace " + other +
						" shows them, eddy objects delete --all --namespace " + other + " removes them"})
			}
		}
	}
	n.Class, n.Listed = now.Class, x.Listed
	if !x.transferred() || x.SQLite {
		n.SQLite = x.SQLite
	}
	taken[n.Key] = true
	p.ledger.Namespaces[x.Origin] = n
	p.Keys[now.Class], p.SQLite[now.Class] = n.Key, n.SQLite
}

// choose finds a namespace for a lineage that has none: that of its newest name under which there are objects, else
// that of its present name, as the reference makes it (ID3).
func (p *Plan) choose(l *Ledger, x Lineage, taken map[string]bool, count func(string) int) LedgerNamespace {
	now := x.now()
	for _, name := range slices.Backward(x.Names) {
		if name.Worker != p.Worker {
			if n, ok := p.takeOver(l, name); ok {
				if c := count(n.Key); c > 0 {
					p.Notes = append(p.Notes, fmt.Sprintf("Class %s took over the objects of class %s of %s (%s).",
						now.Class, name.Class, name.Worker, objects(c)))
				}
				return n
			}
		}
		if key := name.key(); !taken[key] && count(key) > 0 {
			return LedgerNamespace{Key: key}
		}
	}
	key := now.key()
	for i := 2; taken[key]; i++ {
		key = now.key() + "-" + strconv.Itoa(i) // no class name begins with a digit
	}
	return LedgerNamespace{Key: key}
}

// takeOver takes a class away from another Worker, if it is known to have it.
func (p *Plan) takeOver(l *Ledger, name ClassName) (LedgerNamespace, bool) {
	w := l.Workers[name.Worker]
	if w == nil {
		return LedgerNamespace{}, false
	}
	for origin, n := range w.Namespaces {
		if n.Class == name.Class {
			p.taken = append(p.taken, owner{name.Worker, origin})
			return n, true
		}
	}
	return LedgerNamespace{}, false
}

func objects(n int) string {
	if n == 1 {
		return "1 object"
	}
	return strconv.Itoa(n) + " objects"
}

func kindChanged(i int, x Lineage, n LedgerNamespace, count int) Finding {
	was, is := "key-value storage", "SQLite storage"
	if n.SQLite {
		was, is = is, was
	}
	return Finding{Lineage: i, Tag: x.Tag,
		Text: fmt.Sprintf("Class %s was created with %s and has %s; it cannot get %s.", n.Class, was, objects(count),
			is),
		Why: "Production decides the storage of a class when it is created, once and for all.",
		Fix: fmt.Sprintf("put the class back where it was, or create another one; if it was never deployed, remove "+
			"its objects: eddy objects delete --all --namespace %s", n.Key)}
}

// Apply records in the Ledger what a plan says, and reports whether that changed it. The caller has moved away every
// namespace that the plan discards.
func (l *Ledger) Apply(p Plan) bool {
	changed := len(p.taken) > 0
	for _, t := range p.taken {
		if w := l.Workers[t.worker]; w != nil {
			delete(w.Namespaces, t.origin)
		}
	}
	if was := l.Workers[p.Worker]; was != nil {
		changed = changed || !maps.Equal(was.Tags, p.ledger.Tags) || !maps.Equal(was.Namespaces, p.ledger.Namespaces)
	} else if len(p.ledger.Namespaces) > 0 || len(p.ledger.Tags) > 0 {
		changed = true
	}
	if !changed {
		return false
	}
	if l.Workers == nil {
		l.Workers = map[string]*WorkerLedger{}
	}
	l.Workers[p.Worker] = p.ledger
	return true
}
