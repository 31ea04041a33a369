package sharing

import (
	"fmt"
	"slices"
	"strings"

	"eddy/runtime/report"
	"eddy/runtime/running"
)

// tellApart tells the user of other sessions that have what its Workers refer to, or refer to what it has, but have
// state directories of their own: sessions find each other by a common directory. It says how to bring them together.
// The session that starts later tells.
func tellApart(out *report.Reporter, own running.Registered, others []running.Registered) {
	for _, r := range others {
		if r.URL == own.URL || r.State == own.State {
			continue
		}
		var text string
		if theirs := supplied(own, r); len(theirs) > 0 {
			verb := "run"
			if len(theirs) == 1 {
				verb = "runs"
			}
			text = fmt.Sprintf("%s %s in process %d at %s, which has a state directory of its own", join(theirs), verb,
				r.PID, r.URL)
		} else if ours := supplied(r, own); len(ours) > 0 {
			text = fmt.Sprintf("%s refers to %s, and has a state directory of its own", process(r), join(ours))
		} else {
			continue
		}
		how := []string{"to share queues, objects, fetch(), RPC and tails, start "}
		if r.Ephemeral {
			how[0] += "both with one directory: --persist-to DIR"
		} else {
			how[0] += "this one with the other's directory: --persist-to " + report.ShellWord(r.State)
		}
		if line := together(r, own); line != "" {
			how = append(how, "or run both as one: "+line)
		}
		for i := range how {
			how[i] = out.Paint("dim", "  "+how[i])
		}
		out.Line(report.Info, "apart", text+"\n"+strings.Join(how, "\n"), report.F("pid", r.PID),
			report.F("url", r.URL), report.F("state", r.State))
	}
}

func process(r running.Registered) string {
	return fmt.Sprintf("process %d at %s, which runs %s,", r.PID, r.URL, join(r.Workers))
}

// supplied names what one session refers to and another has.
func supplied(to, from running.Registered) []string {
	var out []string
	for _, w := range to.Refers {
		if slices.Contains(from.Workers, w) {
			out = append(out, "Worker "+w)
		}
	}
	for _, q := range to.Sends {
		if slices.Contains(from.Queues, q) {
			out = append(out, "the consumer of queue "+q)
		}
	}
	return out
}

// together is the command that runs the Workers of two sessions in one, or "" if no command line can: a script without
// a configuration, and different environments, cannot be named twice.
func together(sessions ...running.Registered) string {
	line := "eddy dev"
	for _, r := range sessions {
		if r.Dir != "" || r.Env != sessions[0].Env {
			return ""
		}
		for _, path := range r.Configs {
			line += " -c " + report.ShellWord(path)
		}
	}
	if env := sessions[0].Env; env != "" {
		line += " -e " + report.ShellWord(env)
	}
	return line
}

func join(list []string) string {
	out := list[0]
	for i, s := range list[1:] {
		if i == len(list)-2 {
			out += " and " + s
		} else {
			out += ", " + s
		}
	}
	return out
}
