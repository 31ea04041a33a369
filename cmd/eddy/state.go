package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime/statedir"
)

func newState(env OS) *cobra.Command {
	cmd := group("state", "Check the state directory, and repair what is damaged")
	f := &stateFlags{}
	f.add(cmd)
	cmd.AddCommand(stateCheck(env, f), stateRepair(env, f))
	return cmd
}

func stateCheck(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Read all of the queues' log and say what is damaged", Args: cobra.NoArgs,
		Long: "Read all of the queues' log, every waiting message with it, and say what cannot be read and what a " +
			"repair would lose.\n" +
			"Nothing is changed. No session may run on the state directory. Exit code 1 if something is damaged.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, c, err := checkLog(cmd.Context(), env, f)
			if err != nil {
				return err
			}
			objects, err := checkObjects(dir, false)
			if err != nil {
				return err
			}
			out := output{w: env.Stdout, json: f.json}
			result := struct {
				*queues.Check
				Objects []damagedObject `json:"objects"`
			}{c, objects}
			if err := out.value(result, func() error {
				return errors.Join(tellCheck(out, dir, c), tellObjects(out, objects))
			}); err != nil {
				return err
			}
			if !c.Sound() || len(objects) > 0 {
				return &exitError{code: exitFailure}
			}
			return nil
		},
	}
}

func stateRepair(env OS, f *stateFlags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "repair", Short: "Make a damaged log open again, without what is lost", Args: cobra.NoArgs,
		Long: "Say what is damaged and what would be lost, as check does, and with --force make the log open again " +
			"without it.\n" +
			"The files as they are now are kept beside the log first. A sound log is left alone.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, c, err := checkLog(cmd.Context(), env, f)
			if err != nil {
				return err
			}
			out := output{w: env.Stdout, json: f.json}
			objects, err := checkObjects(dir, force)
			if err != nil {
				return err
			}
			result := struct {
				*queues.Check
				Repaired bool            `json:"repaired"`
				Kept     string          `json:"kept,omitempty"`
				Objects  []damagedObject `json:"objects"`
			}{Check: c, Objects: objects}
			if !f.json {
				if err := errors.Join(tellCheck(out, dir, c), tellObjects(out, objects)); err != nil {
					return err
				}
			}
			if !c.Sound() && force {
				if result.Kept, err = c.Repair(dir.Queues()); err != nil {
					return &exitError{exitFailure, err}
				}
				result.Repaired = true
			}
			if err := out.value(result, func() error {
				if !result.Repaired {
					return nil
				}
				_, err := fmt.Fprintf(out.w, "Repaired. The files as they were are in %s\n", result.Kept)
				return err
			}); err != nil {
				return err
			}
			if (!c.Sound() || len(objects) > 0) && !force {
				return &exitError{exitFailure,
					errors.New("nothing was changed; eddy state repair --force goes on without what is lost")}
			}
			if unrepaired(objects) {
				return &exitError{code: exitFailure}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "do it")
	return cmd
}

// checkLog checks the log of the state directory that the flags name.
func checkLog(ctx context.Context, env OS, f *stateFlags) (statedir.Dir, *queues.Check, error) {
	at, err := f.find(ctx, env)
	if err != nil {
		return "", nil, err
	}
	dir := at.state
	c, err := queues.CheckLog(dir.Queues())
	var locked *statedir.LockedError
	if errors.As(err, &locked) {
		return dir, nil, &exitError{exitFailure,
			fmt.Errorf("process %d has the queues of %s open: end that session first", locked.Pid, dir)}
	}
	if err != nil {
		return dir, nil, &exitError{exitFailure, err}
	}
	return dir, c, nil
}

// shownDamage bounds the damaged messages that are listed one by one.
const shownDamage = 20

// tellCheck prints, for people, what a check found.
func tellCheck(out output, dir statedir.Dir, c *queues.Check) error {
	line := func(format string, args ...any) error {
		_, err := fmt.Fprintf(out.w, format+"\n", args...)
		return err
	}
	if c.Sound() && len(c.Findings) == 0 {
		return line("The queues' log of %s is sound: %s in %s.", dir, several(c.Messages, "message"),
			several(c.Queues, "queue"))
	}
	var errs []error
	for _, f := range c.Findings {
		text := "damaged"
		if f.Harmless {
			text = "left by a crash, and removed by the next start"
		}
		errs = append(errs, line("%s", text+": "+placeOf(f)))
	}
	for i, m := range c.Damaged {
		if i == shownDamage {
			errs = append(errs, line("and %d more damaged messages; --json lists all", len(c.Damaged)-i))
			break
		}
		where := m.Queue
		if m.Lane != "" {
			where += " " + m.Lane
		}
		errs = append(errs, line("damaged message: %s in %s: %s at offset %d: %s", m.ID, where, m.File, m.Offset,
			m.Reason))
	}
	errs = append(errs, line("Reads back: %s in %s.", several(c.Messages, "message"), several(c.Queues, "queue")))
	if !c.Sound() {
		errs = append(errs, line("A repair loses: %s whose body cannot be read; %s behind the damage, in which %s "+
			"sent; and what cannot be read.",
			several(len(c.Damaged), "message"), several(c.LostGroups, "group"),
			several(c.LostMessages, "message")+" were"))
	}
	return errors.Join(errs...)
}

func placeOf(f logstore.Finding) string {
	if f.File == "" {
		return f.Reason
	}
	return fmt.Sprintf("%s at offset %d: %s", f.File, f.Offset, f.Reason)
}

func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
