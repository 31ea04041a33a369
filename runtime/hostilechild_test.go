package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/report"
)

const (
	hostileMemory = 256 << 20
	// hostileLimit is the CPU limit of the project, and hostileLater how much later an answer may come.
	hostileLimit, hostileLater = 60 * time.Millisecond, time.Second
	// hostileWatchdog is the processor time after which an answer is not waited for any more. hostileHang is the same
	// for what takes no processor.
	hostileWatchdog, hostileHang = 20 * time.Second, 5 * time.Minute
	// databaseTime is when D1 ends a query, which no CPU limit shortens.
	databaseTime = 5 * time.Second
)

// answerTime is the processor time that the process may take until a request is answered, all its threads together. One
// that takes more has let a machine that has nothing else to do wait for longer than the CPU limit and a second.
func answerTime(path string) time.Duration {
	allowed := hostileLimit + hostileLater
	if strings.Contains(strings.ToLower(path), "d1") {
		allowed += databaseTime
	}
	return 2 * allowed * time.Duration(runtime.GOMAXPROCS(0)) // a processor that others share counts for half
}

// processTime is what the process has taken of the processors.
func processTime() time.Duration {
	used, ok := clock.ProcessTime()
	if !ok {
		panic("the system does not tell what the process has taken of the processors")
	}
	return used
}

// hostile is the child of TestHostile.
type hostile struct {
	work    hostileWork
	web     http.Handler
	place   hostilePlace
	started atomic.Int64  // when the present request began, in Unix nanoseconds; 0 if there is none
	began   atomic.Int64  // what the process had taken of the processors by then
	peak    atomic.Uint64 // bytes in use since the job began
	slow    []string
	late    string // of the present attempt: an answer that took too long, if there was one

	mu     sync.Mutex // guards all below, which the session's lines change
	step   int        // the last combination that walk.js has begun
	what   string     // and what it is
	report string     // an error of eddy's own
}

// runHostile is the child's main function.
func runHostile(text string) int {
	h := &hostile{}
	if err := json.Unmarshal([]byte(text), &h.work); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var s *Session
	var err error
	for range probes { // the start has a limit, too
		s, err = Start(context.Background(), Options{Dir: "testdata/hostile", memoryLimit: hostileMemory,
			Reporter: report.New(report.Options{Out: h, Level: report.Log})})
		if err == nil {
			break
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, Explain(err, false))
		return 2
	}
	if h.web, err = s.Handler(""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	go h.watch()
	h.round()
	for h.work.First = 0; time.Now().Before(h.work.Until); h.work.First = 0 {
		h.work.Seed++
		h.round()
	}
	h.began.Store(int64(processTime()))
	h.started.Store(time.Now().UnixNano())
	h.place.Name = "the end of the session"
	if err := s.Stop(context.Background()); err != nil {
		fmt.Printf("fail Stop: %v\n", err)
	}
	fmt.Println("done")
	return 0
}

// Write takes the lines of the session.
func (h *hostile) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := bytes.IndexByte(p[:min(len(p), 64)], '@'); i >= 0 {
		number, what, _ := strings.Cut(string(bytes.TrimSpace(p[i+1:min(len(p), 1024)])), " ")
		if n, err := strconv.Atoi(number); err == nil {
			h.step, h.what = n, what
		}
	}
	if i := bytes.Index(p, []byte("please report")); i >= 0 && h.report == "" {
		h.report = string(p[max(0, i-200):min(len(p), i+4000)])
	}
	return len(p), nil
}

// said is what walk.js has said last.
func (h *hostile) said() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.what
}

// watch ends the process when an answer does not come, or when the memory that is used up would be missed by others.
func (h *hostile) watch() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(2 * time.Millisecond) {
		metrics.Read(sample)
		used := sample[0].Value.Uint64()
		if used > h.peak.Load() {
			h.peak.Store(used)
		}
		began := h.started.Load()
		late := began > 0 && (processTime()-time.Duration(h.began.Load()) > hostileWatchdog ||
			time.Since(time.Unix(0, began)) > hostileHang)
		if !late && used < 16*hostileMemory {
			continue
		}
		h.mu.Lock()
		fmt.Fprintf(os.Stderr, "%s: no answer in %v, or too much memory: %d MB in use (%s)\n", h.place.Name,
			hostileWatchdog, used>>20, h.what)
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		os.Exit(3)
	}
}

// leastSnippets is how many snippets the suite has at least.
const leastSnippets = 600

// round does every job once.
func (h *hostile) round() {
	var names struct{ Snippets, Acts, Places []string }
	h.list("/names", &names)
	if n := len(names.Snippets); n < leastSnippets {
		fmt.Printf("fail %d snippets, of which there were %d at least\n", n, leastSnippets)
	}
	rng := rand.New(rand.NewPCG(uint64(h.work.Seed), 1))
	var jobs []string
	for _, name := range names.Snippets {
		jobs = append(jobs, "/snippet/"+name)
	}
	shuffle := func() { rng.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] }) }
	if h.work.Short {
		shuffle()
		jobs = jobs[:40]
	}
	for _, place := range append(names.Places, scheduledPlace, modulePlace) {
		for _, act := range names.Acts {
			if h.drawn(rng) {
				jobs = append(jobs, "/act/"+act+"?place="+place)
			}
		}
	}
	var walks []string
	var paths map[string]string
	if !strings.HasPrefix(h.work.Only, "^/") {
		walks, paths = h.walks()
	}
	if !h.all() {
		rng.Shuffle(len(walks), func(i, j int) { walks[i], walks[j] = walks[j], walks[i] })
		jobs, walks = append(jobs, walks[:min(len(walks), len(jobs)/4)]...), nil
	}
	shuffle()
	began, only := time.Now(), regexp.MustCompile(h.work.Only)
	if h.work.Budget > 0 && h.work.Last.IsZero() {
		h.work.Last = began.Add(h.work.Budget)
		text, _ := h.work.Last.MarshalText()
		fmt.Printf("last %s\n", text)
	}
	done := h.jobs(0, jobs, only, paths)
	done += h.jobs(len(jobs), walks, only, paths)
	fmt.Printf("log seed %d: %d of %d jobs in %v, %d MB live at the end, slow: %s\n", h.work.Seed, done, len(jobs),
		time.Since(began).Round(time.Second), h.inUse()>>20, strings.Join(h.slow, ", "))
	h.slow = nil
}

// Places that the Worker cannot reach by itself: a cron whose name is the act, and the top level of another Worker.
const scheduledPlace, modulePlace = "scheduled", "module"

// evaluate starts a session beside, whose Worker does an act at its top level, and stops it if it has started.
func (h *hostile) evaluate(act string) {
	h.began.Store(int64(processTime()))
	h.started.Store(time.Now().UnixNano())
	defer h.started.Store(0)
	s, err := Start(context.Background(), Options{Dir: "testdata/hostile", Main: "module.js",
		Vars:        []string{"ACT:" + act},
		memoryLimit: hostileMemory, Reporter: report.New(report.Options{Out: h, Level: report.Log})})
	if err == nil {
		err = s.Stop(context.Background())
	}
	var refused *StartError
	if err != nil && !errors.As(err, &refused) {
		fmt.Printf("fail %T: %s\n", err, strings.ReplaceAll(Explain(err, false), "\n", " | "))
	}
}

// all tells whether all jobs are done, those of the walker among them: with -hostile.time or -hostile.only.
func (h *hostile) all() bool { return !h.work.Until.IsZero() || h.work.Only != "" }

// drawn tells whether an act is among those that are done: one of four, or of thirty for a short test.
func (h *hostile) drawn(rng *rand.Rand) bool {
	of := 4
	if h.work.Short {
		of = 30
	}
	return rng.IntN(of) == 0 || h.all()
}

// walks are the jobs of the walker, and the path of each.
func (h *hostile) walks() (jobs []string, paths map[string]string) {
	paths = map[string]string{}
	for _, place := range []string{"walk", "env", "object"} {
		var roots []string
		h.list("/"+place+"/roots", &roots)
		for _, root := range roots {
			var functions []string
			query := "root=" + url.QueryEscape(root)
			if path := "/" + place + "/list?" + query; raceDetector {
				// Some take longer than the CPU limit to be listed.
				if status, body := h.ask(path); status != http.StatusOK {
					fmt.Printf("log %s is left out: it is answered %d\n", path, status)
				} else if err := json.Unmarshal([]byte(body), &functions); err != nil {
					fmt.Printf("fail %s: %v\n", path, err)
				}
			} else {
				h.list(path, &functions)
			}
			for n, name := range functions {
				job := "/" + place + "/" + name
				paths[job] = fmt.Sprintf("/%s/run?%s&n=%d", place, query, n)
				jobs = append(jobs, job)
			}
		}
	}
	return jobs, paths
}

// jobs does those jobs of a list, the first of which has that number, that are still to do.
func (h *hostile) jobs(first int, jobs []string, only *regexp.Regexp, walks map[string]string) (done int) {
	for i, job := range jobs {
		if first+i < h.work.First || !only.MatchString(job) {
			continue
		}
		if !h.work.Last.IsZero() && time.Now().After(h.work.Last) {
			break
		}
		h.place = hostilePlace{first + i, h.work.Seed, job}
		text, _ := json.Marshal(h.place)
		fmt.Printf("at %s\n", text)
		h.job(job, walks)
		done++
	}
	return done
}

// inUse is used after a collection.
func (h *hostile) inUse() uint64 {
	runtime.GC()
	return h.used()
}

// used is how many bytes objects take, with those that are garbage.
func (h *hostile) used() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// attempts is how often a job is done that takes too much memory, or too long, before it counts: on a busy machine the
// limits' look may come late, and a page that is touched for the first time may cost a hundred times as much.
const attempts = 4

// job does one job and looks at what is left of the session.
func (h *hostile) job(job string, walked map[string]string) {
	began := time.Now()
	var over uint64
	for range attempts {
		h.late = ""
		if over = h.attempt(job, walked); over == 0 && h.late == "" {
			break
		}
		h.inUse()
	}
	if over > 0 {
		fmt.Printf("fail %d MB more were in use, the limit being %d MB (%s)\n", over>>20, hostileMemory>>20, h.what)
	}
	if h.late != "" {
		fmt.Printf("fail %s\n", h.late)
	}
	if took := time.Since(began); took > time.Second {
		h.slow = append(h.slow, fmt.Sprintf("%s %v", job, took.Round(10*time.Millisecond)))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.report != "" {
		fmt.Printf("fail (%s) %s\n", h.what, strings.ReplaceAll(h.report, "\n", " | "))
		h.report = ""
	}
}

// attempt does a job once and gives back how many bytes more than before were in use if they were too many.
func (h *hostile) attempt(job string, walked map[string]string) (over uint64) {
	base := h.used()
	if base > hostileMemory { // much of it garbage, hopefully
		base = h.inUse()
	}
	h.peak.Store(base)
	if path, ok := walked[job]; ok {
		h.walk(path)
	} else {
		kind, rest, _ := strings.Cut(job[1:], "/")
		name, query, _ := strings.Cut(rest, "?place=")
		switch query {
		case scheduledPlace:
			h.ask("/cdn-cgi/handler/scheduled?cron=" + name)
		case modulePlace:
			h.evaluate(name)
		default:
			h.ask("/" + kind + "/" + url.PathEscape(name) + "?place=" + query)
		}
	}
	for try := 1; ; try++ {
		status, body := h.ask("/probe")
		if body == "alive" {
			break
		}
		if status != http.StatusServiceUnavailable || try == probes {
			fmt.Printf("fail the probe is answered %d %.200q\n", status, body)
			break
		}
	}
	if peak := h.peak.Load(); peak > base+hostileMemory*3/2 {
		return peak - base
	}
	return 0
}

// probes is how often the session is asked whether it lives: where the system does not tell what the process gets, a
// machine that is busy may take the whole CPU limit away from a probe.
const probes = 5

// combinations is how many of walk.js each function is called with.
const combinations = 12

// walk calls a function. A combination that ends the event is left out, once it did so on an account of its own.
func (h *hostile) walk(path string) {
	for from, alone := 0, false; from < combinations; {
		h.mu.Lock()
		h.step = from
		h.mu.Unlock()
		if status, _ := h.ask(fmt.Sprintf("%s&from=%d&to=%d&seed=%d", path, from, combinations,
			h.work.Seed)); status == http.StatusOK {
			return
		}
		h.mu.Lock()
		step := h.step
		h.mu.Unlock()
		if alone = step > from; alone {
			from = step
		} else {
			from = step + 1
		}
	}
}

// list asks for a list, again if the first answer took too long: the modules are loaded then.
func (h *hostile) list(path string, into any) {
	var status int
	var body string
	for range 30 {
		if status, body = h.ask(path); status == http.StatusOK {
			break
		}
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		fmt.Printf("fail %s is answered %d %.500s\n", path, status, body)
	}
}

// ask sends a request and drops what is too long of its answer.
func (h *hostile) ask(path string) (status int, body string) {
	h.began.Store(int64(processTime()))
	h.started.Store(time.Now().UnixNano())
	defer func() {
		h.started.Store(0)
		if took := processTime() - time.Duration(h.began.Load()); took > answerTime(path) {
			h.late = fmt.Sprintf("the answer took %v of processor time, more than %v (%s)", took, answerTime(path),
				h.said())
		}
	}()
	w := &shortAnswer{header: http.Header{}}
	r := httptest.NewRequest("GET", "http://localhost"+path, nil)
	r.RemoteAddr = "127.0.0.1:1"
	h.web.ServeHTTP(w, r)
	return w.status, w.body.String()
}

type shortAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *shortAnswer) Header() http.Header { return w.header }

func (w *shortAnswer) WriteHeader(status int) { w.status = status }

func (w *shortAnswer) Write(p []byte) (int, error) {
	w.body.Write(p[:min(len(p), 1<<20-min(1<<20, w.body.Len()))])
	return len(p), nil
}

func (w *shortAnswer) FlushError() error { return nil }
