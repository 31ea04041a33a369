package session

import (
	"fmt"
	"path/filepath"
	"strings"

	"eddy/runtime/explorer"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// Banner tells what the session serves: bindings, consumers, where state lives and whether it is durable.
func (s *Session) Banner() {
	var b strings.Builder
	for _, svc := range s.services {
		if g := svc.live(); g != nil {
			s.bannerWorker(&b, svc, g.config)
		}
	}
	fields := s.lines.Structured()
	durable := "durable: acknowledged means on disk"
	switch {
	case s.opts.Cluster != nil:
		durable = "scratch: the cluster's database keeps what is acknowledged"
	case s.opts.Ephemeral:
		durable = "ephemeral: nothing is kept"
	case s.opts.Relaxed:
		durable = "relaxed: survives a crash of eddy, not of the machine"
	}
	where := string(s.state)
	if rel, err := filepath.Rel(s.opts.Dir, where); err == nil && !strings.HasPrefix(rel, "..") {
		where = rel
	}
	if fields {
		s.lines.Line(report.Info, "state", "State in "+where+" ("+durable+")", report.F("path", where),
			report.F("durability", durable))
		if at := s.explorer(); at != "" {
			s.lines.Line(report.Info, "explorer", "Explorer at "+at, report.F("address", at))
		}
		if at := s.debugger(); at != "" {
			s.lines.Line(report.Info, "debugger", "Debugger at "+at, report.F("address", at))
		}
		if text := strings.TrimSpace(s.sharing.Banner()); text != "" {
			s.lines.Line(report.Info, "sharing", text)
		}
		return
	}
	if s.opts.Ephemeral {
		fmt.Fprintf(&b, "State %s\n", s.lines.Paint("dim", "("+durable+")"))
	} else {
		fmt.Fprintf(&b, "State in %s %s\n", s.lines.Paint("bold", where), s.lines.Paint("dim", "("+durable+")"))
	}
	if at := s.explorer(); at != "" {
		fmt.Fprintf(&b, "Explorer at %s\n", s.lines.Paint("cyan", at))
	}
	if at := s.debugger(); at != "" {
		fmt.Fprintf(&b, "Debugger at %s %s\n", s.lines.Paint("cyan", at),
			s.lines.Paint("dim", "(chrome://inspect, or attach an editor to the port)"))
	}
	b.WriteString(s.sharing.Banner())
	s.lines.Line(report.Info, "banner", strings.TrimRight(b.String(), "\n"))
}

// explorer is the address of the session's pages, "" without a port.
func (s *Session) explorer() string {
	if url := s.sharing.Described().URL; url != "" && !s.opts.Unattended {
		return url + explorer.Base
	}
	return ""
}

// debugger is the address at which debuggers are answered, "" if they are not.
func (s *Session) debugger() string {
	if s.opts.Inspector == nil {
		return ""
	}
	return "ws://" + s.opts.Inspector.Addr()
}

// absent lists the bindings whose Worker is not in this session (CL11).
func (s *Session) absent(cfg *wrangler.Config) map[string]bool {
	out := map[string]bool{}
	note := func(binding, script, environment string) {
		if environment != "" {
			script += "-" + environment
		}
		if script == "" || s.byName[script] != nil {
			return
		}
		if _, elsewhere := s.queues.Running(script); !elsewhere {
			out[binding] = true
		}
	}
	for _, d := range cfg.DurableObjects {
		note(d.Name, d.ScriptName, d.Environment)
	}
	for _, b := range cfg.Services {
		note(b.Binding, b.Service, b.Environment)
	}
	for _, b := range cfg.Workflows {
		note(b.Binding, b.ScriptName, "")
	}
	for _, b := range cfg.Unserved {
		note(b.Name, b.Outbound, "")
	}
	return out
}

// bannerWorker writes what one Worker has: as a table for people, as a line with fields each for programs.
func (s *Session) bannerWorker(b *strings.Builder, svc *service, cfg *wrangler.Config) {
	if s.lines.Structured() {
		s.lines.Line(report.Info, "worker", svc.name+" "+cfg.CompatibilityDate,
			report.F("worker", svc.name), report.F("compatibility_date", cfg.CompatibilityDate),
			report.F("config", s.relative(cfg.Path)))
		for _, r := range s.bannerRows(cfg) {
			s.lines.Line(report.Info, "resource", strings.Join(r[:], "  "),
				report.F("worker", svc.name), report.F("name", r[0]), report.F("type", r[1]), report.F("mode", r[2]))
		}
		return
	}
	fmt.Fprintf(b, "%s %s\n", s.lines.Paint("bold", svc.name), s.lines.Paint("dim", cfg.CompatibilityDate))
	if user := svc.input.options.UserPath; user != "" && user != cfg.Path {
		fmt.Fprintf(b, "Using redirected configuration %s instead of %s\n", s.relative(cfg.Path), s.relative(user))
	}
	for _, file := range cfg.SecretFiles {
		fmt.Fprintf(b, "Using secrets defined in %s\n", s.relative(file))
	}
	rows := s.bannerRows(cfg)
	var w [2]int
	for _, r := range rows {
		w[0], w[1] = max(w[0], len([]rune(r[0]))), max(w[1], len([]rune(r[1])))
	}
	for _, r := range rows {
		fmt.Fprintf(b, "  %-*s  %-*s  %s\n", w[0], r[0], w[1], r[1], r[2])
	}
}

// bannerRows are the bindings, consumers and triggers of a Worker: name, type, and how it is served.
func (s *Session) bannerRows(cfg *wrangler.Config) [][3]string {
	rows := [][3]string{}
	absent := s.absent(cfg)
	for _, e := range cfg.Bindings() {
		mode := s.howServed(cfg, e)
		if absent[e.Name] {
			mode += " " + s.lines.Paint("red", "[not connected]")
		}
		name := "env." + e.Name
		if e.Resource != "" {
			name += " (" + e.Resource + ")"
		}
		rows = append(rows, [3]string{name, e.Kind.Friendly(), mode})
	}
	for _, b := range cfg.Workflows {
		if b.Binding == "" {
			rows = append(rows, [3]string{"workflow " + b.Name + " (" + b.ClassName + ")", "Workflow", "local"})
		}
	}
	for _, c := range cfg.Queues.Consumers {
		what := fmt.Sprintf("%d/%gs, %d retries", c.MaxBatchSize, c.MaxBatchTimeout.Seconds(), c.MaxRetries)
		if c.Type == wrangler.PullConsumer {
			what = fmt.Sprintf("leases of %gs, %d retries", c.VisibilityTimeout.Seconds(), c.MaxRetries)
		}
		if c.DeadLetterQueue != "" {
			what += " → " + c.DeadLetterQueue
		}
		rows = append(rows, [3]string{"queue " + c.Queue, "Consumer (" + string(c.Type) + ")", what})
	}
	for _, c := range cfg.TailConsumers {
		mode := "local"
		if _, elsewhere := s.queues.Running(c.Service); s.byName[c.Service] == nil && !elsewhere {
			mode = s.lines.Paint("red", "runs nowhere now: nothing is sent")
		}
		rows = append(rows, [3]string{"tail " + c.Service, "Tail Consumer", mode})
	}
	for _, c := range cfg.StreamingTailConsumers {
		mode := "local"
		if s.byName[c.Service] == nil {
			mode = s.lines.Paint("red", "not in this session: nothing is sent")
		}
		rows = append(rows, [3]string{"streaming tail " + c.Service, "Tail Consumer", mode})
	}
	for _, c := range cfg.Triggers.Crons {
		mode := "by hand: /cdn-cgi/handler/scheduled"
		if s.opts.Crons {
			mode = "fires by itself"
		}
		rows = append(rows, [3]string{"cron " + c.Expr, "Cron Trigger", mode})
	}
	return rows
}

// howServed is what the banner says of a binding.
func (s *Session) howServed(cfg *wrangler.Config, b wrangler.Binding) string {
	text := s.servedBy(cfg, b)
	if text == notServed || text == noCertificate {
		return s.lines.Paint("yellow", text)
	}
	return text
}

const (
	notServed     = "needs a stand-in when it is used"
	noCertificate = "needs its files in eddy.jsonc when it is used"
)

// servedBy says who serves a binding: this session, a stand-in, or nobody.
func (s *Session) servedBy(cfg *wrangler.Config, b wrangler.Binding) string {
	set := cfg.StandIns[b.Name]
	switch {
	case set.Worker != "":
		return "stand-in: Worker " + set.Worker
	case set.URL != "":
		return "stand-in: " + set.URL
	case set.Replay != "":
		return "stand-in: " + s.relative(set.Replay)
	}
	if b.Kind == "mtls_certificates" && set.Cert == "" {
		return noCertificate
	}
	if !unserved(b.Kind) {
		return "local"
	}
	return notServed
}
