package wrangler

import "strings"

// DidYouMean returns the known word that is closest to a misspelt one, "" when none is close.
func DidYouMean(word string, known []string) string { return didYouMean(word, known) }

// didYouMean returns the known word closest to a misspelt one, or "" when none is close: at most a third of the
// letters may differ. Case and the choice between _, - and nothing do not count as a difference.
func didYouMean(word string, known []string) string {
	best, bestDistance := "", len(word)/3+1
	folded := foldKey(word)
	for _, candidate := range known {
		if d := editDistance(folded, foldKey(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	if best != "" {
		return best
	}
	// A word that stops short or goes on (cpu for cpu_ms) is close as well.
	const shortest = 3
	for _, candidate := range known {
		c := foldKey(candidate)
		if len(folded) >= shortest && strings.HasPrefix(c, folded) || len(c) >= shortest &&
			strings.HasPrefix(folded, c) {
			return candidate
		}
	}
	return ""
}

func foldKey(s string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours between two words.
func editDistance(a, b string) int {
	// A hostile file may have a key of a megabyte, whose distance would take long to compute; it is close to nothing.
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
