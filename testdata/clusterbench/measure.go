package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// path is something that is done n times, and its goals: how much of one machine's rate is left. A goal of 0 is none.
type path struct {
	name           string
	url            string
	many           int
	query          string
	objects        bool
	alone, standby float64
}

// paths are the goals' rows. The last one is about how much longer a call takes, not about a rate.
var paths = []path{
	{name: "increment, one object", url: "/increment", many: 1, objects: true, alone: 0.33, standby: 0.16},
	{name: "increment, 128 objects", url: "/increment", many: 128, objects: true, alone: 0.7, standby: 0.5},
	{name: "send, 1 producer", url: "/send", many: 1, alone: 0.5, standby: 0.25},
	{name: "send, 64 producers", url: "/send", many: 64, alone: 0.4, standby: 0.2},
	{name: "send, 512 producers", url: "/send", many: 512, alone: 0.5, standby: 0.3},
	{name: "read, own node", url: "/read", many: 1, objects: true, alone: 0.95, standby: 0.95},
}

var elsewhere = path{name: "read, other node", url: "/read", many: 1, query: "&elsewhere=1", objects: true}

// most is how many operations one request does: one event may make ten thousand calls.
const most = 8000

func (p path) run(ctx context.Context, s *side, n int) error {
	for ; n > 0; n -= most {
		if _, err := s.ask(ctx, fmt.Sprintf("%s?n=%d&many=%d%s", p.url, min(n, most), p.many, p.query)); err != nil {
			return err
		}
	}
	return nil
}

func measure(ctx context.Context, o options, tmp string) error {
	var sides []*side
	for i, name := range []string{"single", "alone", "standby"} {
		s, err := newSide(ctx, o, tmp, name, i > 0, i > 1)
		if err != nil {
			return err
		}
		defer s.end()
		sides = append(sides, s)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| path\t| one machine\t| alone\t| goal\t| with standby\t| goal\t|")
	fmt.Fprintln(table, "|---\t|---\t|---\t|---\t|---\t|---\t|")
	rates := map[string][]float64{}
	for _, p := range paths {
		if !o.only.MatchString(p.name) {
			continue
		}
		m, err := p.measure(ctx, o, sides)
		if err != nil {
			return err
		}
		rates[p.name] = m
		fmt.Fprintf(table, "| %s\t| %.0f/s\t| %.0f/s, %.2f\t| %.2f\t| %.0f/s, %.2f\t| %.2f\t|\n", p.name, m[0], m[1],
			m[1]/m[0], p.alone, m[2], m[2]/m[0], p.standby)
	}
	if own := rates["read, own node"]; own != nil && o.only.MatchString(elsewhere.name) {
		for _, s := range sides[1:] {
			if err := s.add(ctx, o, tmp, "b"); err != nil {
				return err
			}
		}
		m, err := elsewhere.measure(ctx, o, sides[1:])
		if err != nil {
			return err
		}
		more := func(i int) float64 { return 1000/m[i-1] - 1000/own[i] }
		fmt.Fprintf(table, "| %s\t| \t| %.0f/s, + %.2f ms\t| + 1 ms\t| %.0f/s, + %.2f ms\t| + 1 ms\t|\n", elsewhere.name,
			m[0], more(1), m[1], more(2))
	}
	return table.Flush()
}

// measure gives the median of each side's rate. First it finds how many times fill the time of a measurement, which
// warms the sides up, too.
func (p path) measure(ctx context.Context, o options, sides []*side) ([]float64, error) {
	counts := make([]int, len(sides))
	for i, s := range sides {
		if p.objects {
			if err := s.found(ctx, p.many, p.query); err != nil {
				return nil, err
			}
		}
		for n := p.many; ; {
			began := time.Now()
			if err := p.run(ctx, s, n); err != nil {
				return nil, err
			}
			took := time.Since(began)
			if took >= o.target/4 {
				counts[i] = max(p.many, int(float64(n)*o.target.Seconds()/took.Seconds()))
				break
			}
			n *= 4
		}
	}
	all := make([][]float64, len(sides))
	for round := range o.rounds {
		for j := range sides {
			i := (round + j) % len(sides)
			began := time.Now()
			if err := p.run(ctx, sides[i], counts[i]); err != nil {
				return nil, err
			}
			all[i] = append(all[i], float64(counts[i])/time.Since(began).Seconds())
		}
	}
	medians := make([]float64, len(sides))
	for i, rates := range all {
		slices.Sort(rates)
		medians[i] = rates[len(rates)/2]
		fmt.Fprintln(os.Stderr, p.name, sides[i].name, strconv.FormatFloat(medians[i], 'f', 0, 64)+"/s of", counts[i])
	}
	return medians, nil
}
