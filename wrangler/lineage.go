package wrangler

import (
	"strconv"
	"strings"
)

// Lineage is a set of objects under all the names that their class has had. In production they are one namespace,
// whose ids stay the same when the class is renamed or moves to another Worker (CL9).
type Lineage struct {
	// Origin tells the lineage from all others of the Worker, whatever its class is called by now: the name that the
	// class was created with, "NAME#2" for the second class created with it, "SCRIPT/NAME" for one that another Worker
	// transferred.
	Origin string
	// Names are the classes that the objects belonged to, the earliest first and the present one last.
	Names  []ClassRef
	SQLite bool
	// Listed says that migrations or exports name the class; a class that is only bound has a lineage as well (CL8).
	Listed bool
	// Deleted says that its class was deleted and its objects with it.
	Deleted bool
	// Tag is the migration that changed it last, Pos where.
	Tag string
	Pos Pos
}

// ClassRef names a class; Script is "" for the Worker's own.
type ClassRef struct{ Script, Name string }

// Name is what the class is called now, or was called when it was deleted.
func (l *Lineage) Name() string { return l.Names[len(l.Names)-1].Name }

// lineages follows the classes through a fold.
type lineages struct {
	list []Lineage
	tag  string // of the migration that is being read
}

// live is the lineage whose class has that name now, nil if there is none.
func (l *lineages) live(class string) *Lineage {
	for i := range l.list {
		if x := &l.list[i]; !x.Deleted && x.Name() == class {
			return x
		}
	}
	return nil
}

func (l *lineages) create(class string, sqlite, listed bool, pos Pos) {
	if x := l.live(class); x != nil { // it was transferred
		x.SQLite = sqlite
		return
	}
	n := 1
	for _, x := range l.list {
		if x.Names[0] == (ClassRef{Name: class}) {
			n++
		}
	}
	origin := class
	if n > 1 {
		origin += "#" + strconv.Itoa(n)
	}
	l.list = append(
		l.list, Lineage{
			Origin: origin, Names: []ClassRef{{Name: class}}, SQLite: sqlite, Listed: listed, Tag: l.tag, Pos: pos})
}

func (l *lineages) remove(class string, pos Pos) {
	if x := l.live(class); x != nil {
		x.Deleted, x.Tag, x.Pos = true, l.tag, pos
	}
}

// rename gives the class a new name. A class that had this name before loses it, and its objects then belong to no
// class.
func (l *lineages) rename(from, to string, pos Pos) {
	x := l.live(from)
	if x == nil {
		return
	}
	for i := range l.list {
		if y := &l.list[i]; y != x && !y.Deleted && y.Name() == to {
			y.Names = append(y.Names, ClassRef{}) // no class any more
		}
	}
	x.Names = append(x.Names, ClassRef{Name: to})
	x.Tag, x.Pos = l.tag, pos
}

// comesFrom is the declarative form of rename: the class has the objects of the one that had the name from.
func (l *lineages) comesFrom(from, class string) {
	if x := l.live(class); x != nil && from != class {
		x.Origin, x.Names = from, []ClassRef{{Name: from}, {Name: class}}
	}
}

func (l *lineages) transfer(t Transfer, pos Pos) {
	l.list = append(
		l.list, Lineage{
			Origin: t.FromScript + "/" + t.From, Names: []ClassRef{{t.FromScript, t.From}, {Name: t.To}}, Listed: true,
			Tag: l.tag, Pos: pos})
}

// bound gives a lineage to a class that is only bound. If a deleted class had its name the lineage is that one's,
// because somebody still uses its objects.
func (l *lineages) bound(class string, pos Pos) (revived string) {
	if l.live(class) != nil {
		return ""
	}
	for i := len(l.list) - 1; i >= 0; i-- {
		if x := &l.list[i]; x.Name() == class {
			x.Deleted, x.Listed, x.SQLite = false, false, false
			return x.Tag
		}
	}
	l.create(class, false, false, pos)
	return ""
}

// Text describes a migration in one form, whichever way the file spells it.
func (m Migration) Text() string {
	var parts []string
	list := func(key string, items []string) {
		if len(items) > 0 {
			parts = append(parts, key+" "+strings.Join(items, ", "))
		}
	}
	list("deleted_classes", m.DeletedClasses)
	var moved []string
	for _, r := range m.RenamedClasses {
		moved = append(moved, r.From+" to "+r.To)
	}
	list("renamed_classes", moved)
	list("new_classes", m.NewClasses)
	list("new_sqlite_classes", m.NewSQLiteClasses)
	moved = nil
	for _, t := range m.TransferredClasses {
		moved = append(moved, t.From+" of "+t.FromScript+" to "+t.To)
	}
	list("transferred_classes", moved)
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}
