package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what `eddy version` prints. A release sets it when it links.
var version = "0.1.0"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version and build", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

func init() { cobra.AddTemplateFunc("versionLine", versionLine) }

// withVersion gives every command -v and --version, as wrangler does. Only who asks has the build information read: it
// takes ten kilobytes for each command.
func withVersion(cmd *cobra.Command) {
	cmd.Version = version
	cmd.SetVersionTemplate("{{versionLine}}\n")
	for _, c := range cmd.Commands() {
		withVersion(c)
	}
}

func versionLine() string {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = " " + s.Value[:12]
			}
		}
	}
	return fmt.Sprintf("eddy %s%s %s/%s %s", version, commit, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
