package heapwatch

import (
	"slices"
	"testing"
)

func TestBurst(t *testing.T) {
	var told []bool
	OnBurst(func(under bool) { told = append(told, under) })
	defer OnBurst(nil)
	first := Burst()
	second := Burst()
	first()
	first()
	second()
	third := Burst()
	third()
	if want := []bool{true, false, true, false}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}
