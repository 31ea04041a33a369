package journal

// Following says how a node of a cluster gives its entries to somebody who follows them.
type Following int

const (
	// Broken: they do not come for now, and the node is asked again.
	Broken Following = iota
	// Resumed: they come again, with all that was recorded meanwhile.
	Resumed
	// ResumedInPart: they come again, and some of those that were recorded meanwhile do not.
	ResumedInPart
	// Over: none will come.
	Over
)
