package testrun

import (
	"cmp"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"eddy/runtime/testrun/vitest"
)

// TestMain: hundreds of short sessions run one after the other. To collect at Go's own pace, made for one that lives
// long with as little, takes a fifth of the time. eddy test allows more, too.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

var (
	exploreSchedules = flag.Int("explore.schedules", 3, "how many schedules a corrected race must pass")
	exploreRuns      = flag.Int("explore.runs", 2, "how many runs of one seed must give one log")
	exploreSeed      = flag.Uint64("explore.seed", 0, "the seed that planted races are searched from; 0: their own")
)

// finds are seeds that find the planted race with their first schedule, and of those up to 45 the ones that take the
// fewest tries for the shortest; the others' is 1. One that does so no more costs time, not the test.
var finds = map[string]uint64{
	"ack-before-write": 6, "alarm-against-fetch": 12, "alarm-already-due": 9, "alarm-rearmed": 12,
	"body-after-check": 9, "broadcast": 9, "check-then-act": 14, "close-against-message": 6, "conditional-put": 24,
	"d1-read-modify-write": 18, "double-charge": 32, "idempotency-key": 12, "kv-list": 39, "lazy-start": 8,
	"lost-update": 45, "module-state": 45, "put-then-throw": 42, "retry-overtaking": 33, "send-before-commit": 33,
	"stale-cache": 14, "transfer": 4, "two-workers": 6, "wait-until": 2, "workflow-charge": 20, "workflow-stock": 45,
}

// race makes a project of a file of testdata/races; source is "planted" or "corrected".
func race(t testing.TB, name, source string) Options {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata/races", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var configs []string
	for _, f := range archive.Files {
		path := filepath.Join(dir, f.Name)
		switch f.Name {
		case source + ".ts":
			path = filepath.Join(dir, "src/index.ts")
		case "planted.ts", "corrected.ts":
			continue
		}
		if filepath.Base(path) == "wrangler.jsonc" {
			configs = append(configs, path)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return Options{
		Dir: dir, Configs: configs, Files: []string{filepath.Join(dir, "race.test.ts")}, Seed: 1,
		Settings: vitest.Config{TestTimeout: 60_000, HookTimeout: 60_000, Update: "none", AllowOnly: true},
		Explore:  Explore{Crash: strings.Contains(string(archive.Comment), "--crash")},
	}
}

func races(t testing.TB) []string {
	files, err := filepath.Glob("testdata/races/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no races", err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".txtar")
	}
	return files
}

// outcome runs a project of one test and returns the first failure's message, "" for none.
func outcome(t testing.TB, o Options) (string, *Result) {
	t.Helper()
	result, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	f := result.Files[0]
	message := ""
	f.Tests(func(_ []string, k *Task) {
		if k.State == Failed {
			message = k.Errors[0].Message
		}
	})
	for _, e := range append(f.Errors, f.Unhandled...) {
		message += e.Message
	}
	return message, result
}

// A planted race passes under the plain order: only what has passed is explored. Exploring finds it, and the schedule
// it shows has at most eight steps. The seed that it names finds the same again.
func TestExploreFinds(t *testing.T) {
	for _, name := range races(t) {
		t.Run(name, func(t *testing.T) {
			o := race(t, name, "planted")
			o.Explore.Schedules, o.Seed = 200, cmp.Or(*exploreSeed, finds[name], 1)
			found, result := outcome(t, o)
			_, list, ok := strings.Cut(found, "This came with seed ")
			if !ok {
				t.Fatalf("not found in %d schedules, %d of them different: %s", result.Explored.Schedules,
					result.Explored.Distinct, found)
			}
			t.Logf("schedule %d\n%s", result.Explored.Schedules, found)
			if n := len(regexp.MustCompile(`(?m)^ +\d+  `).FindAllString(list, -1)); n > 8 || n == 0 {
				t.Errorf("%d steps, want at most 8", n)
			}
			var seed uint64
			for _, c := range list[:strings.IndexByte(list, ' ')] {
				seed = seed*10 + uint64(c-'0')
			}
			o.Seed, o.Explore.Schedules = seed, 1
			again, _ := outcome(t, o)
			if _, steps, _ := strings.Cut(again, "):\n"); !strings.HasSuffix(found, steps) || steps == "" {
				t.Errorf("the seed %d gives\n%s", seed, again)
			}
		})
	}
}

// The corrected Worker passes every schedule.
func TestExplorePasses(t *testing.T) {
	for _, name := range races(t) {
		t.Run(name, func(t *testing.T) {
			o := race(t, name, "corrected")
			o.Explore.Schedules = *exploreSchedules
			text, result := outcome(t, o)
			if text != "" {
				t.Error(text)
			}
			told := result.Explored
			t.Logf("%d schedules, %d ran, %d different, in %v", told.Schedules, told.Ran, told.Distinct,
				told.Duration.Round(time.Millisecond))
		})
	}
}

// An order that is known is the one that comes: whoever runs all schedules finds no order beside those that are run
// when known ones are left out. A test that looks at its seed runs under each.
func TestKnownOrders(t *testing.T) {
	for _, name := range []string{"double-charge", "kv-list"} {
		t.Run(name, func(t *testing.T) {
			o := race(t, name, "corrected")
			o.Explore.Schedules = 30
			_, result := outcome(t, o)
			if told := result.Explored; told.Schedules != 30 || told.Ran >= 30 || told.Ran < told.Distinct {
				t.Errorf("%+v", told)
			}
			test, err := os.ReadFile(o.Files[0])
			if err != nil {
				t.Fatal(err)
			}
			asks := `import { seed } from "eddy:test"; globalThis.looked = () => seed;` + string(test)
			looks := regexp.MustCompile(`(?m)^it\(.*`).ReplaceAllString(asks, "$0\n  globalThis.looked();")
			if err := os.WriteFile(o.Files[0], []byte(looks), 0o666); err != nil {
				t.Fatal(err)
			}
			text, each := outcome(t, o)
			if told := each.Explored; text != "" || told.Ran != 30 || told.Distinct != result.Explored.Distinct {
				t.Errorf("%s: %+v, with known orders left out %+v", text, told, result.Explored)
			}
		})
	}
}

// What a handler leaves to waitUntil goes on when the batch is settled before (queue_consumer_no_wait_for_wait_until).
func TestWaitUntilOutlivesBatch(t *testing.T) {
	if text, _ := outcome(t, race(t, "../waituntil", "planted")); text != "" {
		t.Error(text)
	}
}

// A test that polls hears of what comes at last under every order: that others were late is no finding (TEST-X3).
func TestExplorePolls(t *testing.T) {
	o := race(t, "../polling", "planted")
	o.Explore.Schedules = *exploreSchedules
	if text, _ := outcome(t, o); text != "" {
		t.Error(text)
	}
}

// One seed gives one log, byte for byte, whatever runs beside and on however many cores.
func TestExploreRepeats(t *testing.T) {
	for _, name := range races(t) {
		t.Run(name, func(t *testing.T) {
			o := race(t, name, "corrected")
			r := &run{pass: &pass{root: o.Dir}, auxiliary: &auxiliary{}, o: o, setup: []string{}}
			e := &exploration{r: r, file: &File{Path: o.Files[0], Name: "race.test.ts"}, length: 20}
			if err := e.r.build(); err != nil {
				t.Fatal(err)
			}
			result, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			result.Files[0].Tests(func(_ []string, k *Task) { e.task = k })
			for seed := range uint64(2) {
				first := ""
				for i := range *exploreRuns {
					before := runtime.GOMAXPROCS(1 + i%2)
					s := e.schedule(seed)
					f := e.try(t.Context(), s)
					runtime.GOMAXPROCS(before)
					if f != nil {
						t.Fatalf("seed %d fails: %v %v", seed, texts(f.Errors), texts(f.Unhandled))
					}
					switch log := s.log.String(); {
					case i == 0:
						first = log
					case log != first:
						t.Fatalf("seed %d, run %d on %d cores:\n%s\nbut first\n%s", seed, i, 1+i%2, log, first)
					}
				}
			}
		})
	}
}
