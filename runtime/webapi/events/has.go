package events

// Has tells whether somebody listens for events of that type.
func (t *Target) Has(typ string) bool {
	for _, l := range t.listeners {
		if l.typ == typ {
			return true
		}
	}
	return false
}
