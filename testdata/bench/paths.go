package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// path is something that is done n times.
type path struct {
	name       string
	configured bool // it needs queues or objects
	lanes      bool // it needs do-queue
	npm        bool
	prepare    func(v *server) error // once before, not measured; may be nil
	run        func(v *server, n int) error
	finish     func(v *server) // once after, not measured; may be nil
}

var order = `{"name":"Ann","items":[` + strings.Repeat(`{"price":1.5,"count":2},`, 20) + `{"price":1,"count":1}]}`

// paths are in the order of the table.
var paths = func() []path {
	list := []path{
		{name: "hello", run: func(v *server, n int) error { return load(v, n, "GET", "/", "") }},
		{name: "JSON API", run: func(v *server, n int) error { return load(v, n, "POST", "/order", order) }},
		{name: "stream 64 kB", run: inside("/stream")},
		{name: "send", configured: true, run: inside("/send")},
		{name: "sendBatch of 100", configured: true, run: inside("/sendBatch")},
		{name: "consume 100", configured: true, run: consume},
		{name: "increment", configured: true, run: calls("/increment")},
		{name: "RPC", configured: true, run: calls("/rpc")},
		{name: "SQL", configured: true, run: inside("/sql")},
		{name: "alarm", configured: true, run: awaited("/alarms", "/fired", 1)},
		{name: "lanes", configured: true, lanes: true, run: awaited("/lanes", "/delivered", 1)},
		burst(10_000),
	}
	for _, size := range []int{10, 1000, 100_000} {
		query := "&size=" + strconv.Itoa(size)
		list = append(list,
			path{name: "send, " + thousands(size) + " kept", configured: true, prepare: grown("/backlog", query),
				run: insideOf("/send", query)},
			path{name: "get, " + thousands(size) + " keys", configured: true, prepare: grown("/keys", query),
				run: insideOf("/key", query)})
	}
	for _, size := range []int{10, 1000, 10_000} { // a hundred thousand awake are more than an isolate may keep
		query := "&size=" + strconv.Itoa(size)
		list = append(list, path{name: "RPC, " + thousands(size) + " objects", configured: true,
			prepare: grown("/objects", query), run: callsOf("/object", query)})
	}
	for _, size := range []int{10, 1000, mostSockets} {
		list = append(list, path{name: "echo, " + thousands(size) + " sockets", prepare: sockets(size), run: echoes,
			finish: closeSockets})
	}
	for _, name := range strings.Fields("json strings maps sort fib await spread bytes regexps") {
		list = append(list, path{name: name, run: inside("/" + name)})
	}
	for _, name := range strings.Fields("jsonText jsonIndent clone headers url query texts base64 digest forms bodies pipe " +
		"tee identity turns") {
		list = append(list, path{name: name, run: inside("/" + name)})
	}
	for _, name := range strings.Fields("zod superjson marked react drizzle sha256 blake2b scrypt argon2 bcryptjs") {
		list = append(list, path{name: name, npm: true, run: inside("/" + name)})
	}
	return list
}()

// burst sends so many messages and waits until the handler has seen them.
func burst(size int) path {
	return path{name: "burst of " + thousands(size), configured: true, run: awaited("/consume", "/seen", size)}
}

// thousands writes a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// inside is one request of which the Worker does the work n times.
func inside(url string) func(*server, int) error { return insideOf(url, "") }

func insideOf(url, query string) func(*server, int) error {
	return func(v *server, n int) error {
		_, err := v.get(url + "?n=" + strconv.Itoa(n) + query)
		return err
	}
}

// calls is inside, a thousand calls a request: one event may make ten thousand.
func calls(url string) func(*server, int) error { return callsOf(url, "") }

func callsOf(url, query string) func(*server, int) error {
	return func(v *server, n int) error {
		for ; n > 0; n -= 1000 {
			if err := insideOf(url, query)(v, min(n, 1000)); err != nil {
				return err
			}
		}
		return nil
	}
}

// grown asks again and again, until the Worker says that it has the size.
func grown(url, query string) func(*server) error {
	return func(v *server) error {
		for began := time.Now(); ; {
			answer, err := v.get(url + "?n=1000" + query)
			if err != nil || answer == "ok" {
				return err
			}
			if time.Since(began) > 2*time.Minute {
				return fmt.Errorf("%s%s: %s: no end after two minutes", v.name, url, answer)
			}
		}
	}
}

// consume sends n times a hundred messages and waits until the handler has seen them.
var consume = awaited("/consume", "/seen", 100)

// awaited asks for n times so many of something and waits until the Worker has counted them. Both count from 0 anew.
func awaited(url, counted string, each int) func(*server, int) error {
	return func(v *server, n int) error {
		want := n * each
		if _, err := v.get(url + "?n=" + strconv.Itoa(want)); err != nil {
			return err
		}
		for began := time.Now(); ; time.Sleep(time.Millisecond) {
			seen, err := v.get(counted)
			if err != nil {
				return err
			}
			if got, _ := strconv.Atoi(seen); got >= want {
				return nil
			}
			if time.Since(began) > time.Minute {
				return fmt.Errorf("%s%s: %s of %d after a minute", v.name, url, seen, want)
			}
		}
	}
}

func measurePaths(o options, w *workers, f *figures) error {
	var chosen []path
	all := paths
	if o.burst > 0 {
		all = append(slices.Clip(all), burst(o.burst))
	}
	for _, p := range all {
		if (!p.npm || w.npm) && o.only.MatchString(p.name) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	var servers []*server
	for _, s := range w.sides {
		dir, err := w.project(s, w.main(s))
		if err != nil {
			return err
		}
		v, _, err := s.start(dir)
		if err != nil {
			return err
		}
		defer v.stop()
		servers = append(servers, v)
	}
	for _, p := range chosen {
		if err := measurePath(o, f, p, servers); err != nil {
			f.missed(p.name, err)
		}
	}
	for _, v := range servers {
		f.note("memory after load", v.side, v.memory())
	}
	return nil
}

// measurePath first finds, for each side, how many times fill the time of a measurement, which warms it up too: what is
// compiled in the first call does not count. A side that fails is left out.
func measurePath(o options, f *figures, p path, servers []*server) error {
	if p.finish != nil {
		for _, v := range servers {
			defer p.finish(v)
		}
	}
	counts := map[*server]int{}
	for _, v := range servers {
		if p.configured && !v.configured || p.lanes && !v.lanes {
			continue
		}
		if p.prepare != nil {
			if err := p.prepare(v); err != nil {
				f.missed(p.name, err)
				continue
			}
		}
		n := 1
		for first := true; ; first = false {
			began := time.Now()
			if err := p.run(v, n); err != nil {
				f.missed(p.name, err)
				break
			}
			took := time.Since(began)
			if took >= o.target/2 && !first {
				counts[v] = max(1, int(float64(n)*o.target.Seconds()/took.Seconds()))
				break
			}
			if !first {
				n *= min(8, max(2, int(o.target/max(took, 1))))
			}
		}
	}
	for round := range o.rounds {
		for _, v := range turned(servers, round) {
			n := counts[v]
			if n == 0 {
				continue
			}
			began, used := time.Now(), v.used()
			if err := p.run(v, n); err != nil {
				return err
			}
			took := time.Since(began).Seconds()
			if o.processor {
				took = v.used() - used
			}
			f.note(p.name, v.side, took/float64(n))
		}
	}
	return nil
}
