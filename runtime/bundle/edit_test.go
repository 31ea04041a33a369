package bundle

import "testing"

func TestEdits(t *testing.T) {
	text := "ab cd ef\ngh\nij kl\n"
	out, shifts := applyEdits(text, []edit{
		{start: 12, end: 14, text: "IJIJ"}, // ij, given first on purpose
		{start: 3, end: 5, text: "x"},      // cd
		{start: 6, end: 10, text: "EF\n"},  // ef, line end and g
	})
	if want := "ab x EF\nh\nIJIJ kl\n"; out != want {
		t.Fatalf("got %q, want %q", out, want)
	}
	tests := []struct{ line, column, want int }{
		{0, 0, 0}, {0, 2, 2}, {0, 3, 3}, // before and at cd
		{0, 4, 5}, {0, 5, 6}, {0, 6, 6}, // the space, then ef as a whole
		{1, 0, 1}, // h
		{2, 0, 0}, {2, 3, 0}, {2, 4, 2}, {2, 5, 3},
		{3, 0, 0},
	}
	for _, test := range tests {
		if got := unshift(shifts, test.line, test.column); got != test.want {
			t.Errorf("line %d, column %d: %d, want %d", test.line, test.column, got, test.want)
		}
	}
	if same, none := applyEdits(text, nil); same != text || none != nil {
		t.Error("no edits change the text")
	}
}
