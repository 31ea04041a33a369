package runtime

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"eddy/runtime/report"
	"eddy/wrangler"
)

// Banner reports what the session serves: bindings, consumers, where state lives and whether it is durable, and last
// the line that says it is ready. took is how long the start was, 0 to leave it out.
func (s *Server) Banner(took time.Duration) {
	var b strings.Builder
	for _, svc := range s.services {
		g := svc.live()
		if g == nil {
			continue
		}
		s.bannerWorker(&b, svc, g.config)
	}
	durable := "durable: acknowledged means on disk"
	switch {
	case s.state.ephemeral:
		durable = "ephemeral: nothing is kept"
	case s.opts.Durability == "relaxed":
		durable = "relaxed: survives a crash of eddy, not of the machine"
	}
	where := s.state.root
	if rel, err := filepath.Rel(s.dir, where); err == nil && !strings.HasPrefix(rel, "..") {
		where = rel
	}
	if s.state.ephemeral {
		fmt.Fprintf(&b, "State %s\n", s.report.Paint("dim", "("+durable+")"))
	} else {
		fmt.Fprintf(&b, "State in %s %s\n", s.report.Paint("bold", where), s.report.Paint("dim", "("+durable+")"))
	}
	b.WriteString(s.sharing())
	s.report.Line(report.Info, "banner", strings.TrimRight(b.String(), "\n"))
	for i, svc := range s.services {
		if svc.listener == nil {
			continue
		}
		text := "Ready on " + s.report.Paint("cyan", svc.listener.url)
		if i > 0 {
			text += " " + s.report.Paint("dim", "("+svc.name+")")
		} else if took > 0 {
			text += " " + s.report.Paint("dim", "("+report.Duration(took)+")")
		}
		s.report.Line(report.Info, "ready", text, report.F("url", svc.listener.url), report.F("worker", svc.name))
	}
}

// absent are the bindings whose Worker is not in this session (CL11).
func (s *Server) absent(cfg *wrangler.Config) map[string]bool {
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
	return out
}

// relative names a file as seen from the session's working directory.
func (s *Server) relative(file string) string {
	if rel, err := filepath.Rel(s.dir, file); err == nil {
		return rel
	}
	return file
}

func (s *Server) bannerWorker(b *strings.Builder, svc *service, cfg *wrangler.Config) {
	fmt.Fprintf(b, "%s %s\n", s.report.Paint("bold", svc.name), s.report.Paint("dim", cfg.CompatibilityDate))
	if user := svc.input.options.UserPath; user != "" && user != cfg.Path {
		fmt.Fprintf(b, "Using redirected configuration %s instead of %s\n", s.relative(cfg.Path), s.relative(user))
	}
	for _, file := range cfg.SecretFiles {
		fmt.Fprintf(b, "Using secrets defined in %s\n", s.relative(file))
	}
	rows := [][3]string{}
	absent := s.absent(cfg)
	for _, e := range cfg.Bindings() {
		mode := "local"
		switch {
		case s.unserved(e.Kind):
			mode = s.report.Paint("red", "not served: use fails")
		case absent[e.Name]:
			mode += " " + s.report.Paint("red", "[not connected]")
		}
		name := "env." + e.Name
		if e.Resource != "" {
			name += " (" + e.Resource + ")"
		}
		rows = append(rows, [3]string{name, e.Kind.Friendly(), mode})
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
		if s.byName[c.Service] == nil {
			mode = s.report.Paint("red", "not in this session: nothing is sent")
		}
		rows = append(rows, [3]string{"tail " + c.Service, "Tail Consumer", mode})
	}
	for _, c := range cfg.StreamingTailConsumers {
		rows = append(rows, [3]string{"streaming tail " + c.Service, "Tail Consumer", s.report.Paint("red", "not served: nothing is sent")})
	}
	for _, c := range cfg.Triggers.Crons {
		mode := "by hand: /cdn-cgi/handler/scheduled"
		if s.opts.Crons {
			mode = "fires by itself"
		}
		rows = append(rows, [3]string{"cron " + c.Expr, "Cron Trigger", mode})
	}
	var w [2]int
	for _, r := range rows {
		w[0], w[1] = max(w[0], len([]rune(r[0]))), max(w[1], len([]rune(r[1])))
	}
	for _, r := range rows {
		fmt.Fprintf(b, "  %-*s  %-*s  %s\n", w[0], r[0], w[1], r[1], r[2])
	}
}
