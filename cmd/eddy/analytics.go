package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/analytics"
	"eddy/runtime/bindings/analytics/dialect"
	"eddy/runtime/clock"
	"eddy/runtime/lazyregexp"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// newAnalytics makes the verb for datasets of Analytics Engine. It opens their file, which a running session may have
// open as well.
func newAnalytics(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("analytics", "Query the datasets of Analytics Engine, while a session runs or not")
	f.add(cmd)
	cmd.AddCommand(analyticsQuery(env, f))
	return finish(env, f, cmd)
}

// formatted tells whether a statement says in which form it wants its answer.
var formatted = lazyregexp.New(`(?i)\bFORMAT\s+(JSON|JSONEachRow|TabSeparated)\s*;?\s*$`)

func analyticsQuery(env OS, f *stateFlags) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "query [SQL]", Short: "Run a statement of the SQL API: SELECT … or SHOW TABLES",
		Long: "Runs a statement in the dialect of Cloudflare's SQL API, given as it is, from --file or on standard " +
			"input.\n" +
			"The answer is a table; with --json it is the SQL API's, and FORMAT in the statement is obeyed.\n\n" +
			"A running session answers the same as POST /cdn-cgi/eddy/client/v4/accounts/ANY/analytics_engine/sql.",
		Example: "  eddy analytics query 'SHOW TABLES'\n" +
			"  eddy analytics query \"SELECT blob1, SUM(_sample_interval) AS n FROM visits GROUP BY blob1\"",
		Args: form(cobra.MaximumNArgs(1)),
	}
	cmd.RunE = f.stored(env, func(_ *wrangler.Config, state statedir.Dir, args []string, out output) error {
		var arg *string
		if len(args) == 1 {
			arg = &args[0]
		}
		sql, err := content(env, arg, file)
		if err != nil {
			return err
		}
		s := analytics.New(analytics.Options{Path: state.Analytics(), Clock: clock.Real{}})
		answer, err := s.Query(cmd.Context(), string(sql))
		var mistake *dialect.Mistake
		switch err = errors.Join(err, s.Close()); {
		case errors.As(err, &mistake):
			return usage("%s\n  in: %s", mistake, short(string(sql), 200))
		case err != nil:
			return err
		}
		if !out.json && !formatted.MatchString(string(sql)) {
			return out.list("no rows", answer.Columns(), answer.Texts())
		}
		_, body, err := answer.Write()
		if err != nil {
			return err
		}
		if answer.Format == "JSON" {
			return out.encode(json.RawMessage(body), "  ")
		}
		_, err = out.w.Write([]byte(strings.TrimSuffix(string(body), "\n") + "\n"))
		return err
	})
	cmd.Flags().StringVar(&file, "file", "", "`file` with the statement")
	return cmd
}
