package testrun

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"eddy/runtime/replay"
	"eddy/runtime/session"
)

// ReplayInclude is the glob of captured events that are tests, beside those of [DefaultInclude].
const ReplayInclude = "**/*" + replaySuffix

const replaySuffix = ".replay.jsonl"

func isReplay(path string) bool { return strings.HasSuffix(path, replaySuffix) }

// replays and tests are the files of a project that are, and are not, captured events.
func replays(files []string) (list []string) {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !isReplay(f) })
}

func tests(files []string) []string { return slices.DeleteFunc(slices.Clone(files), isReplay) }

// runReplay runs a file of captured events. Each of them is a test.
func (r *run) runReplay(ctx context.Context, f *File) error {
	began := time.Now()
	r.tell(f, nil, "start")
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	list, damaged, err := replay.Read(f.Name, file)
	_ = file.Close() // it was read to its end
	if err != nil {
		return err
	}
	for _, bad := range damaged {
		f.Errors = append(f.Errors, &TaskError{Name: "Error", Message: bad.Error()})
	}
	plan, err := replay.Choose(list, replay.Choice{})
	if err != nil {
		return err
	}
	f.Setup = milliseconds(began)
	if plan = r.chosenSteps(f, plan); len(plan) > 0 {
		began = time.Now()
		o := replay.Options{Project: replay.Project{Configs: r.o.Configs, Dir: r.o.Dir, Env: r.o.Env,
			Environ: r.o.Environ}, Seed: 1, Inspector: r.o.Inspector}
		if p := r.o.Pool; p != nil {
			o.Given, o.Elsewhere = p.Workers, p.Elsewhere
		}
		events, err := replay.Run(ctx, o, list, plan)
		if err != nil {
			f.State = Failed
			f.Errors = append(f.Errors, &TaskError{Name: "Error",
				Message: strings.TrimSpace(session.Explain(err, false))})
			r.tell(f, nil, "file")
			return nil
		}
		f.Duration = milliseconds(began)
		if err := r.judge(f, events); err != nil {
			return err
		}
	}
	f.Ran = true
	if f.State = Passed; len(f.Errors) > 0 ||
		slices.ContainsFunc(f.Tasks, func(t *Task) bool { return t.State == Failed }) {
		f.State = Failed
		r.failures.Add(1)
	}
	r.tell(f, nil, "file")
	return nil
}

func milliseconds(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// chosenSteps makes the tasks of the steps, and leaves those that the pattern of names takes.
func (r *run) chosenSteps(f *File, plan []*replay.Rerun) (kept []*replay.Rerun) {
	matches := func(name string) bool { return strings.Contains(name, r.o.Filter.Pattern) }
	if pattern, err := regexp.Compile(r.o.Filter.Pattern); err == nil {
		matches = pattern.MatchString
	}
	for i, step := range plan {
		t := &Task{ID: strconv.Itoa(i), Type: "test", Name: fmt.Sprintf("%s (line %d)", replay.Title(step.Line),
			step.Number), Mode: "run", State: Skipped}
		f.Tasks = append(f.Tasks, t)
		if matches(t.Name) {
			t.State = ""
			kept = append(kept, step)
		}
	}
	return kept
}

// judge says of each event whether its test has passed. As with snapshots, what came is written into the file if the
// run updates, or if the file says nothing of it and this is not CI.
func (r *run) judge(f *File, events []*replay.Replayed) error {
	var accepted []*replay.Replayed
	ran := slices.DeleteFunc(slices.Clone(f.Tasks), func(t *Task) bool { return t.State == Skipped })
	for i, e := range events {
		t := ran[i]
		t.State, t.Ran, t.Duration = Passed, true, f.Duration/float64(len(events))
		unknown := e.Line.Outcome == ""
		update := r.o.Settings.Update == "all" || unknown && r.o.Settings.Update == "new"
		switch {
		case e.Got == nil:
			t.State, t.Errors = Failed, []*TaskError{{Name: "Error", Message: e.Failed}}
		case update && (unknown || e.Differs()):
			written := *e.Rerun.Recorded
			written.File = f.Path
			accepted = append(accepted, &replay.Replayed{Rerun: &replay.Rerun{Recorded: &written}, Got: e.Got,
				Children: e.Children, Differences: e.Differences})
		case unknown:
			t.State, t.Errors = Failed, []*TaskError{{Name: "Error",
				Message: "The file does not say what became of the event: eddy replay --update writes it"}}
		case e.Differs():
			t.State, t.Errors = Failed, []*TaskError{{Name: "Error", Message: "It came otherwise than in the file.\n" +
				differences(e)}}
		}
		if t.State == Failed {
			r.failures.Add(1)
		}
		r.tell(f, t, "test")
	}
	_, err := replay.Update(accepted)
	return err
}

func differences(e *replay.Replayed) string {
	var b strings.Builder
	replay.Show{}.Below(&b, e)
	return strings.TrimRight(b.String(), "\n")
}
