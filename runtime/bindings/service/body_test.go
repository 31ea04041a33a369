package service

import "testing"

// A body between Workers may take its time: its reader does not hold the clock that its writer waits for.
func TestBodiesWait(t *testing.T) {
	files := archive(t, "bodies")
	w := newTown(t)
	other := Binding{Key: "SVC", Service: "other", Directory: w}
	w.start("other", files["other.js"])
	w.start("mid", files["mid.js"], other)
	main := w.start("main", files["main.js"], other, Binding{Key: "MID", Service: "mid", Directory: w})
	w.expect(main, files["expect"])
}
