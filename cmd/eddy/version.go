package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what `eddy version` prints; it changes with every release.
const version = "0.1.0"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version and build", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			commit := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" && len(s.Value) >= 12 {
						commit = " " + s.Value[:12]
					}
				}
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "eddy %s%s %s/%s %s\n", version, commit, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
}
