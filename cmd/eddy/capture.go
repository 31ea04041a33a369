package main

import (
	"encoding/hex"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/journal"
)

func newCapture(env OS) *cobra.Command {
	var f journalFlags
	var last int
	var trace string
	cmd := &cobra.Command{
		Use: "capture [WORKER] > FILE.replay.jsonl", Short: "Cut what happened out of the journal, as a file",
		Long: "Write recorded events as lines of JSON, oldest first, for a file that is kept, compared and run\n" +
			"again. docs/replay.schema.json describes a line. Bodies are readable where they are JSON or text.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.settle(cmd, args); err != nil {
				return err
			}
			trace = strings.ToLower(strings.ReplaceAll(trace, "-", ""))
			if last < 0 {
				return usage("--last %d: expected a number above 0", last)
			}
			dir, _, err := f.journals(cmd.Context(), env)
			if err != nil {
				return asFailure(err)
			}
			var list [][]byte
			put := func(line []byte) error {
				_, err := cmd.OutOrStdout().Write(line)
				return err
			}
			err = readJournal(env, dir, &f.filter, func(e *journal.Entry) error {
				if trace != "" && !strings.HasPrefix(hex.EncodeToString(e.Trace[:]), trace) {
					return nil
				}
				line, err := e.Line().Marshal()
				if err != nil || last == 0 {
					if err == nil {
						err = put(line)
					}
					return err
				}
				if list = append(list, line); len(list) > last {
					list = list[1:]
				}
				return nil
			})
			for _, line := range list {
				if err == nil {
					err = put(line)
				}
			}
			return asFailure(err)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.filter.Failed, "failed", false,
		"only events that failed, and batches with messages that are to be tried again")
	cmd.Flags().IntVar(&last, "last", 0, "only the last so many events, 0 for all")
	cmd.Flags().StringVar(&trace, "trace", "", "only events of the trace with this `id`, or the beginning of one")
	f.completeFlags(env, cmd, nil)
	cmd.AddCommand(newCaptureImport(env), newCapturePull(env))
	return cmd
}
