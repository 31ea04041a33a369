package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eddy/runtime/clock"
	"eddy/runtime/control"
	"eddy/wrangler"
)

// timeFlags choose the clock of eddy dev.
type timeFlags struct {
	time  string
	scale float64
	// seed is what decides all that is free; it counts if seeded is set.
	seed   uint64
	seeded bool
}

// A time.Duration ends after 292 years. A session at the fastest scale gets there in ten days; at the slowest, a timer
// that is due in three months waits nearly as long as that.
const slowest, fastest = 0.001, 10_000.0

// clock is the clock that the flags ask for, nil for the machine's.
func (f *timeFlags) clock() (clock.Clock, error) {
	switch {
	case f.time != "real" && f.time != "virtual":
		return nil, usage("--time %q: expected real or virtual", f.time)
	case !(f.scale >= slowest && f.scale <= fastest): // NaN is neither
		return nil, usage("--time-scale %g: expected a number from %g to %g", f.scale, slowest, fastest)
	case f.time == "virtual" && f.scale != 1:
		return nil, usage("--time-scale is for real time: leave out --time=virtual, or the scale")
	case f.seeded && f.time != "virtual":
		return nil, usage("--seed is for virtual time: the machine decides what real time does; add --time=virtual")
	case f.time == "virtual":
		v := clock.NewVirtual(time.Now(), max(f.seed, 1))
		v.Pause() // it moves by eddy time advance
		return v, nil
	case f.scale != 1:
		return clock.NewScaled(f.scale), nil
	}
	return nil, nil
}

// newTime is eddy time: the clock of a running session.
func newTime(env OS) *cobra.Command {
	f := &stateFlags{}
	show := func(out output, now control.Clock) error {
		kind := "real"
		if now.Virtual {
			kind = "virtual"
		}
		return out.done(now, "%s (%s)", now.Now.UTC().Format(time.RFC3339Nano), kind)
	}
	cmd := &cobra.Command{
		Use: "time", Short: "Show the time of a running session, and move it", Args: cobra.NoArgs,
		Long: "Show the time of a running session. That of eddy dev --time=virtual stands until it is moved.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			now, err := c.Clock(ctx)
			if err != nil {
				return err
			}
			return show(out, now)
		}),
	}
	f.add(cmd)
	advance := &cobra.Command{
		Use: "advance DURATION", Short: "Move virtual time on", Args: cobra.ExactArgs(1),
		Long: "Move the time of a session that runs with --time=virtual on by a duration, as 90s, 1h or 2d. What " +
			"falls " +
			"due on the way\nhas happened when the command ends.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			if strings.HasPrefix(args[0], "-") {
				return backwards(args[0])
			}
			d, err := wrangler.ParseAge(args[0])
			if err != nil {
				return usage("%q: %w", args[0], err)
			}
			now, err := c.Advance(ctx, d)
			if err != nil {
				return err
			}
			return show(out, now)
		}),
	}
	advance.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if s := unknown.GetSpecifiedShortnames(); s != "" && strings.Contains("0123456789.", s[:1]) {
				return backwards("-" + s)
			}
		}
		return flagError(cmd, err)
	})
	// moved tells by how much time has gone on, and what is left.
	moved := func(out output, now control.Clock) error {
		left := "nothing is due"
		if now.Next != nil {
			left = "the next event is due at " + now.Next.UTC().Format(time.RFC3339Nano)
		}
		return out.done(now, "%s (virtual), on by %s; %s", now.Now.UTC().Format(time.RFC3339Nano),
			time.Duration(now.MovedMS)*time.Millisecond, left)
	}
	cmd.AddCommand(timeDue(env, f), advance, &cobra.Command{
		Use: "next", Short: "Move virtual time on to the next event", Args: cobra.NoArgs,
		Long: "Move the time of a session that runs with --time=virtual on to the next event that is due: a timer, " +
			"an alarm, a\ndelivery, a retry. It has happened when the command ends. If nothing is due, time stays.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			now, err := c.NextEvent(ctx)
			if err != nil {
				return err
			}
			return moved(out, now)
		}),
	}, &cobra.Command{
		Use: "idle", Short: "Move virtual time on until nothing is due", Args: cobra.NoArgs,
		Long: "Move the time of a session that runs with --time=virtual on, event by event, until none is due within " +
			"a day. An\ninterval or an alarm that sets itself again never ends, and is an error.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			now, err := c.UntilIdle(ctx)
			if err != nil {
				return err
			}
			return moved(out, now)
		}),
	})
	return cmd
}

func backwards(duration string) error {
	return usage("%q: time does not run backwards; expected a duration such as 90s or 1h30m", duration)
}
