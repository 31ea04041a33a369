package syntax

// Whole tells whether a text is one expression, in a function of any kind.
func Whole(text string) bool {
	for _, a := range around {
		open, end := a[0][:len(a[0])-1], a[1][3:] // without the brackets of a pattern
		if _, err := Parse("", open+text+"\n"+end); err == nil {
			return true
		}
	}
	return false
}
