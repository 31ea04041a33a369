package bounds

import "github.com/dop251/goja"

// An empty text stands before each code unit of a text and behind the last. goja's replaceAll looks for it for ever in
// a text that has anything beyond ASCII: its look behind the end finds one more each time.

// between makes a text of s with what write adds at each of these places. It can be interrupted.
func (x *Bounds) between(s goja.String, write func(i int, out *goja.StringBuilder)) goja.Value {
	var out goja.StringBuilder
	for i, n := 0, s.Length(); ; i++ {
		write(i, &out)
		if i == n {
			return out.String()
		}
		out.WriteSubstring(s, i, i+1)
		if i%4096 == 0 {
			x.in.RaiseInterrupt(x.rt)
		}
	}
}

// filled writes template as the replacement of an empty text in s: $$ is a dollar sign, $& nothing, $` what stands
// before the place and $' what stands behind it. All else is as it is written, since there are no groups.
func filled(template, s goja.String) func(i int, out *goja.StringBuilder) {
	const literal = 0
	type piece struct {
		kind     uint16
		from, to int // of a literal, in template
	}
	var pieces []piece
	n, begin := template.Length(), 0
	for i := 0; i+1 < n; i++ {
		if template.CharAt(i) != '$' {
			continue
		}
		kind := template.CharAt(i + 1)
		end := i // of the literal
		switch kind {
		case '$':
			end++
			kind = '&' // the first of the two is part of the literal
		case '&', '`', '\'':
		default:
			continue
		}
		pieces = append(pieces, piece{literal, begin, end}, piece{kind: kind})
		i++
		begin = i + 1
	}
	pieces = append(pieces, piece{literal, begin, n})
	return func(i int, out *goja.StringBuilder) {
		for _, p := range pieces {
			switch p.kind {
			case literal:
				out.WriteSubstring(template, p.from, p.to)
			case '`':
				out.WriteSubstring(s, 0, i)
			case '\'':
				out.WriteSubstring(s, i, s.Length())
			}
		}
	}
}
