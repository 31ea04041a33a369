package bundle

import (
	"maps"
	"slices"
)

// learned is what a Builder has found out about the imports of packages when it made a bundle: with it another one
// builds the user's files alone. It is immutable.
type learned struct {
	known []unit // by label
	order []int  // places in known of the units of the packages, in their order
}

// learned keeps what the last build knows. Nil says that it has used no packages.
func (a *apart) learned() *learned {
	if a.packages == nil {
		return nil
	}
	out := &learned{}
	place := map[string]int{}
	for i, label := range slices.Sorted(maps.Keys(a.mu.known)) {
		place[label] = i
		out.known = append(out.known, a.mu.known[label].clone())
	}
	for _, u := range a.units {
		out.order = append(out.order, place[u.label])
	}
	return out
}

// clone shares nothing with the unit, which later builds change.
func (u *unit) clone() unit {
	out := *u
	out.names, out.unused, out.live = slices.Clone(u.names), slices.Clone(u.unused), slices.Clone(u.live)
	return out
}

// take makes it what a builder knows.
func (l *learned) take(a *apart, p *Packages) {
	a.mu.known = map[string]*unit{}
	list := make([]*unit, len(l.known))
	for i := range l.known {
		u := l.known[i].clone()
		list[i], a.mu.known[u.label] = &u, &u
	}
	a.units = nil
	for _, i := range l.order {
		a.units = append(a.units, list[i])
	}
	a.packages, a.borrowed = p, true
}

// Borrow lets the builds that follow use the packages of a bundle of the same options that another process has built,
// as if they were built here: what is imported from them, and their files, are compared in each build.
func (b *Builder) Borrow(kept *Bundle) {
	b.Adopt(kept)
	if kept.learned != nil && kept.Packages != nil && b.apart.packages == nil {
		kept.learned.take(&b.apart, kept.Packages)
	}
}

// Borrows tells whether the next build would use packages that this process has not built.
func (b *Builder) Borrows() bool { return b.apart.borrowed && b.apart.packages != nil }

// Unite puts the packages that another process has built in the place of those of the bundle that was built last, if
// they are the same: they may be compiled, and may have run. Nobody else has the bundle yet.
func (b *Builder) Unite(made, kept *Bundle) {
	p, before := made.Packages, kept.Packages
	if p == nil || before == nil || p == before || p != b.apart.packages || !before.same(p) {
		return
	}
	before.become(p)
	made.Packages, b.apart.packages = before, before
}

// become takes from an equal script of packages what is known of its build.
func (p *Packages) become(o *Packages) {
	p.inputs, p.stamps, p.units, p.live = o.inputs, o.stamps, o.units, o.live
	p.warnings, p.assets, p.imports = o.warnings, o.assets, o.imports
}

// shelvedLearned is the same in the head of a file of a shelf.
type shelvedLearned struct {
	Units []shelvedUnit `json:"units"`
	Order []int         `json:"order"`
	// Inputs are places in the bundle's, Stamps in its stamps; Others are stamps that it has not.
	Inputs []int    `json:"inputs"`
	Stamps []int    `json:"stamps"`
	Others []stamp  `json:"others,omitempty"`
	Assets []string `json:"assets,omitempty"`
	// Imports are of modules of the host, Warnings counts those at the end of the bundle's.
	Imports  []string `json:"imports,omitempty"`
	Warnings int      `json:"warnings,omitempty"`
}

type shelvedUnit struct {
	Importer  string   `json:"importer"`
	Specifier string   `json:"specifier"`
	Label     string   `json:"label"`
	Number    int      `json:"number"`
	Names     []string `json:"names,omitempty"`
	Unused    []string `json:"unused,omitempty"`
	Live      []string `json:"live,omitempty"`
	Found     string   `json:"found"`
}

// packLearned is nil where a later process could not tell whether the packages are still the same.
func packLearned(b *Bundle, list []stamp) *shelvedLearned {
	p, l := b.Packages, b.learned
	if l == nil || p.stamps == nil || len(p.warnings) > len(b.Warnings) {
		return nil
	}
	h := &shelvedLearned{Order: l.order, Imports: p.imports, Warnings: len(p.warnings)}
	for _, u := range l.known {
		h.Units = append(h.Units, shelvedUnit{u.importer, u.specifier, u.label, u.number, u.names, u.unused, u.live,
			u.found})
	}
	for _, file := range p.inputs {
		i, ok := slices.BinarySearch(b.Inputs, file)
		if !ok {
			return nil
		}
		h.Inputs = append(h.Inputs, i)
	}
	places := map[stamp]int{}
	for i, s := range list {
		places[s] = i
	}
	for _, s := range p.stamps {
		if i, ok := places[s]; ok {
			h.Stamps = append(h.Stamps, i)
		} else {
			h.Others = append(h.Others, s)
		}
	}
	for _, a := range p.assets {
		h.Assets = append(h.Assets, a.Name)
	}
	return h
}

// move changes all paths of files, in copies.
func (h *shelvedLearned) move(change func(path string) string) {
	h.Units, h.Others = slices.Clone(h.Units), slices.Clone(h.Others)
	for i := range h.Units {
		u := &h.Units[i]
		u.Importer, u.Found = change(u.Importer), change(u.Found)
	}
	for i := range h.Others {
		h.Others[i].Path = change(h.Others[i].Path)
	}
}

// unpack makes a bundle and its packages know what they did when they were packed. It returns false if the file says
// what cannot be.
func (h *shelvedLearned) unpack(b *Bundle, list []stamp) bool {
	p, l := b.Packages, &learned{order: h.Order}
	for _, u := range h.Units {
		l.known = append(l.known, unit{importer: u.Importer, specifier: u.Specifier, label: u.Label, number: u.Number,
			names: u.Names, unused: u.Unused, live: u.Live, found: u.Found})
	}
	var order []*unit
	for _, i := range h.Order {
		if i < 0 || i >= len(l.known) {
			return false
		}
		order = append(order, &l.known[i])
		p.live = append(p.live, l.known[i].live)
	}
	for _, i := range h.Inputs {
		if i < 0 || i >= len(b.Inputs) {
			return false
		}
		p.inputs = append(p.inputs, b.Inputs[i])
	}
	p.stamps = slices.Clone(h.Others)
	for _, i := range h.Stamps {
		if i < 0 || i >= len(list) {
			return false
		}
		p.stamps = append(p.stamps, list[i])
	}
	for _, a := range b.Assets {
		if slices.Contains(h.Assets, a.Name) {
			p.assets = append(p.assets, a)
		}
	}
	if h.Warnings < 0 || h.Warnings > len(b.Warnings) || len(p.assets) != len(h.Assets) || len(p.stamps) == 0 {
		return false
	}
	p.warnings, p.imports = slices.Clone(b.Warnings[len(b.Warnings)-h.Warnings:]), h.Imports
	p.units, b.learned = describe(order), l
	return true
}
