package main

import (
	"github.com/spf13/cobra"

	"eddy/runtime/report"
)

// onlyWrangler lists wrangler's commands that work on an account, and what they do there. eddy has no account; it tells
// the user which command to type instead.
var onlyWrangler = map[string]string{
	"deploy": "upload the Worker", "delete": "take a Worker down", "versions": "upload and list versions",
	"deployments": "list deployments",
	"rollback":    "go back to an earlier version", "triggers": "change routes and crons", "secret": "store secrets",
	"login": "log in", "logout": "log out", "whoami": "see who is logged in", "auth": "manage logins",
	"tail":  "see the logs of a deployed Worker",
	"pages": "run and deploy Pages projects", "init": "make a new project", "setup": "prepare a project",
	"docs":       "open the documentation",
	"hyperdrive": "manage Hyperdrive", "vectorize": "manage Vectorize", "workflows": "manage workflows",
	"ai":         "manage AI models",
	"containers": "manage containers", "dispatch-namespace": "manage dispatch namespaces",
	"secrets-store":    "manage the Secrets Store",
	"mtls-certificate": "manage certificates", "cert": "manage certificates", "pipelines": "manage pipelines",
	"email":   "manage email",
	"browser": "manage browser sessions", "tunnel": "manage tunnels", "vpc": "manage VPCs",
	"preview": "make a preview deployment", "publish": "upload the Worker",
}

// localTwin says what the user can do locally instead of a command of onlyWrangler.
var localTwin = map[string]string{
	"secret":    "locally a secret is a line NAME=value of .dev.vars beside the configuration",
	"tail":      "locally eddy dev prints the Worker's lines; eddy queues tail shows what happens in queues",
	"init":      "npm create cloudflare@latest makes one; or write two files, see eddy dev in an empty directory",
	"pages":     "a Pages project with a built directory can be served as a Worker with assets: eddy dev --assets DIR",
	"login":     "eddy needs none: nothing leaves this machine",
	"whoami":    "eddy needs no account: nothing leaves this machine",
	"triggers":  "locally a cron fires by /cdn-cgi/handler/scheduled, or by itself with eddy dev --crons",
	"workflows": "Workflows are not served locally, see docs/gaps.md",
}

func elsewhere() []*cobra.Command {
	var out []*cobra.Command
	for name, what := range onlyWrangler {
		out = append(out, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			Run: nil, RunE: func(_ *cobra.Command, args []string) error {
				typed := name
				if name == "publish" {
					typed = "deploy"
				}
				line := "npx wrangler " + typed
				for _, a := range args {
					line += " " + report.ShellWord(a)
				}
				text := "eddy runs Workers on this machine and does not " + what + "\n  that is wrangler's: " + line
				if twin := localTwin[name]; twin != "" {
					text += "\n  " + twin
				}
				return usage("%s", text)
			},
		})
	}
	return out
}
