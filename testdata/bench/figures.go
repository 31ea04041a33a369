package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// figures are what was measured, in the form of the file of -json.
type figures struct {
	Commit  string   `json:"commit"` // with "+" behind it where the tree has changes
	Time    string   `json:"time"`
	Machine string   `json:"machine"`
	Rounds  int      `json:"rounds"`
	Sides   []string `json:"sides"`
	Rows    []*row   `json:"rows"`
	Rest    []string `json:"rest,omitempty"` // what was not measured, and why
}

// row is one path: seconds for one operation, or bytes where the name says memory.
type row struct {
	Name    string               `json:"name"`
	Unit    string               `json:"unit"`
	All     map[string][]float64 `json:"all"`
	Medians map[string]float64   `json:"medians"`
	Ratios  map[string]float64   `json:"ratios"` // a side's median by eddy's: above 1 eddy is better
	// Rounds are of the sides that eddy is compared with round by round: what the machine does meanwhile meets both.
	Rounds map[string]byRound `json:"byRound,omitempty"`
}

// byRound is the median of a side's figure by eddy's of the same round, and where it lies 19 times of 20.
type byRound struct {
	Ratio float64 `json:"ratio"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// compared takes the order statistics between which the median of a sample lies, of however many and whatever spread.
func compared(eddy, other []float64) byRound {
	ratios := make([]float64, len(eddy))
	for i := range eddy {
		ratios[i] = other[i] / eddy[i]
	}
	slices.Sort(ratios)
	half, n := 0.98*math.Sqrt(float64(len(ratios))), float64(len(ratios))
	at := func(i float64) float64 { return ratios[max(0, min(len(ratios)-1, int(i)))] }
	return byRound{median(ratios), at(math.Floor(n/2 - half)), at(math.Ceil(n/2 + half))}
}

func newFigures(o options, w *workers) *figures {
	f := &figures{Commit: commit(), Time: time.Now().UTC().Format(time.RFC3339), Rounds: o.rounds, Rest: w.rest,
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())}
	for _, s := range w.sides {
		f.Sides = append(f.Sides, s.name)
	}
	return f
}

func commit() string {
	head, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	name := strings.TrimSpace(string(head))
	if exec.Command("git", "diff", "--quiet", "HEAD").Run() != nil {
		name += "+"
	}
	return name
}

// missed says at once and at the end what could not be measured.
func (f *figures) missed(name string, err error) {
	text := fmt.Sprintf("%s: %v", name, err)
	fmt.Fprintln(os.Stderr, text)
	f.Rest = append(f.Rest, text)
}

func (f *figures) note(name string, s *side, value float64) {
	i := slices.IndexFunc(f.Rows, func(r *row) bool { return r.Name == name })
	if i < 0 {
		i = len(f.Rows)
		f.Rows = append(f.Rows, &row{Name: name, Unit: "s", All: map[string][]float64{}, Medians: map[string]float64{},
			Ratios: map[string]float64{}})
		if strings.HasPrefix(name, "memory") {
			f.Rows[i].Unit = "B"
		}
	}
	r := f.Rows[i]
	r.All[s.name] = append(r.All[s.name], value)
	r.Medians[s.name] = median(r.All[s.name])
	for side, value := range r.Medians {
		if r.Medians["eddy"] > 0 {
			r.Ratios[side] = value / r.Medians["eddy"]
		}
	}
	if eddy, before := r.All["eddy"], r.All["before"]; len(eddy) == len(before) && len(eddy) > 1 {
		r.Rounds = map[string]byRound{"before": compared(eddy, before)}
	}
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	if n := len(list); n%2 == 0 {
		return (list[n/2-1] + list[n/2]) / 2
	}
	return list[len(list)/2]
}

func (f *figures) print(out io.Writer) {
	fmt.Fprintf(out, "commit %s, %s, medians of %d rounds; the ratio says how many times as good eddy is\n\n", f.Commit,
		f.Machine, f.Rounds)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "path\t")
	for _, s := range f.Sides {
		fmt.Fprintf(t, "%s\t", s)
		if s != "eddy" {
			fmt.Fprint(t, "ratio\t")
		}
		if s == "before" {
			fmt.Fprint(t, "by round\t")
		}
	}
	fmt.Fprintln(t)
	for _, r := range f.Rows {
		fmt.Fprintf(t, "%s\t", r.Name)
		for _, s := range f.Sides {
			m, ok := r.Medians[s]
			switch {
			case !ok:
				fmt.Fprint(t, "–\t")
			case r.Unit == "B":
				fmt.Fprintf(t, "%.0f MB\t", m/(1<<20))
			default:
				fmt.Fprintf(t, "%v\t", short(m))
			}
			if s != "eddy" && ok {
				fmt.Fprintf(t, "%.3g\t", r.Ratios[s])
			} else if s != "eddy" {
				fmt.Fprint(t, "–\t")
			}
			if c, ok := r.Rounds[s]; ok {
				fmt.Fprintf(t, "%.3f (%.3f to %.3f)\t", c.Ratio, c.Least, c.Most)
			} else if s == "before" {
				fmt.Fprint(t, "–\t")
			}
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // a terminal that is gone is seen by the next write
	for _, text := range f.Rest {
		fmt.Fprintln(out, "not measured:", text)
	}
}

// short is a duration with three digits.
func short(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3g µs", seconds*1e6)
}

func (f *figures) write(file string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}
