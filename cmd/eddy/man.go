//go:build man

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { forReleases = append(forReleases, newMan) }

// newMan is the command with which a release writes the manual pages. What makes them of the commands is large, and
// would be in the memory of every session. So a release builds eddy with it for this command only.
func newMan(env OS) *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the manual pages, one for each command, to a directory", Hidden: true,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return &exitError{exitFailure, fmt.Errorf("write manual pages: %w", err)}
			}
			// The pages carry no date, so that the same version gives the same pages.
			never := time.Unix(0, 0).UTC()
			header := &doc.GenManHeader{Title: "EDDY", Section: "1", Source: "eddy " + version, Manual: "eddy",
				Date: &never}
			root, _ := newRoot(env)
			root.DisableAutoGenTag = true
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return &exitError{exitFailure, fmt.Errorf("write manual pages: %w", err)}
			}
			return nil
		},
	}
}
