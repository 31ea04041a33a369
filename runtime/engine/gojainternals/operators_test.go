package gojainternals

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// What is found is what this pattern finds, which takes a hundred times as long.
func TestBigIntsAreFound(t *testing.T) {
	pattern := regexp.MustCompile(`BigInt|\b(?:[0-9][0-9_]*|0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)n\b`)
	parts := []string{"n", "0", "1", "7", "9", "a", "F", "x", "X", "o", "O", "b", "B", "_", " ", "$", ";", "é", "Big",
		"Int"}
	random, found := rand.New(rand.NewPCG(1, 2)), 0
	for range 200_000 {
		source := ""
		for range random.IntN(9) {
			source += parts[random.IntN(len(parts))]
		}
		want := pattern.MatchString(source)
		if want {
			found++
		}
		if got := hasBigInts(source); got != want {
			t.Fatalf("%q: %v, want %v", source, got, want)
		}
	}
	if found < 1000 {
		t.Errorf("%d sources have BigInts", found)
	}
}
