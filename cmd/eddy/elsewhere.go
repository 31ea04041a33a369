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
	"pages": "run and deploy Pages projects", "setup": "prepare a project",
	"docs":       "open the documentation",
	"hyperdrive": "manage Hyperdrive", "vectorize": "manage Vectorize",
	"ai":        "manage AI models",
	"ai-search": "manage AI Search", "agent-memory": "manage Agent Memory", "artifacts": "manage Artifacts",
	"basin": "manage Basin", "flagship": "manage Flagship", "k2": "manage K2", "turnstile": "manage Turnstile",
	"containers": "manage containers", "dispatch-namespace": "manage dispatch namespaces",
	"mtls-certificate": "manage certificates", "cert": "manage certificates",
	"email":   "manage email",
	"browser": "manage browser sessions", "tunnel": "manage tunnels", "vpc": "manage VPCs",
	"telemetry": "send usage data", "check": "measure the start of a Worker", "complete": "complete wrangler's words",
	"build":   "build without deploying",
	"preview": "make a preview deployment", "publish": "upload the Worker",
}

// localTwin says what the user can do locally instead of a command of onlyWrangler.
var localTwin = map[string]string{
	"secret":    "locally a secret is a line NAME=value of .dev.vars beside the configuration",
	"pages":     "a Pages project with a built directory can be served as a Worker with assets: eddy dev --assets DIR",
	"complete":  "for those of eddy: eddy completion bash",
	"telemetry": "eddy sends nothing to anybody",
	"login":     "eddy needs none: nothing leaves this machine",
	"whoami":    "eddy needs no account: nothing leaves this machine",
	"triggers":  "locally a cron fires by /cdn-cgi/handler/scheduled, or by itself with eddy dev --crons",
}

// onlyWranglerBelow are wrangler's commands beside those that eddy has, by the command above them.
var onlyWranglerBelow = map[string]map[string]string{
	"d1": {
		"create": "make databases of an account", "delete": "delete databases of an account",
		"info": "describe databases of an account", "insights": "see what queries cost on an account",
		"time-travel": "restore databases of an account",
	},
	"kv namespace": {
		"create": "make namespaces of an account", "delete": "delete namespaces of an account",
		"rename": "rename namespaces of an account",
	},
	"pipelines": {
		"setup": "set up pipelines of an account", "create": "make pipelines of an account",
		"list": "list pipelines of an account", "get": "describe pipelines of an account",
		"update": "change pipelines of an account", "delete": "delete pipelines of an account",
		"streams": "manage streams of an account", "sinks": "manage sinks of an account",
	},
	"r2": {"sql": "query catalogs of an account", "bulk": "fill buckets of an account"},
	"r2 bucket": {
		"create": "make buckets of an account", "delete": "delete buckets of an account",
		"info": "describe buckets of an account", "update": "change buckets of an account",
		"catalog": "manage catalogs", "notification": "manage notifications of buckets",
		"domain":  "manage domains of buckets",
		"dev-url": "manage URLs of buckets", "lifecycle": "manage lifecycles of buckets",
		"cors": "manage CORS of buckets",
		"lock": "manage locks of buckets", "sippy": "manage Sippy",
	},
}

func elsewhere() []*cobra.Command {
	var out []*cobra.Command
	for name, what := range onlyWrangler {
		typed := name
		if name == "publish" {
			typed = "deploy"
		}
		out = append(out, wranglers(name, typed, what, localTwin[name]))
	}
	return out
}

// elsewhereBelow are the commands of onlyWranglerBelow at a place.
func elsewhereBelow(path string) []*cobra.Command {
	var out []*cobra.Command
	for name, what := range onlyWranglerBelow[path] {
		local := ""
		switch name {
		case "create":
			local = "locally there is each that the configuration binds, from its first use on"
		}
		out = append(out, wranglers(name, path+" "+name, what, local))
	}
	return out
}

// wranglers is a command that names the one of wrangler to type instead.
func wranglers(name, typed, what, twin string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			line := "npx wrangler " + typed
			for _, a := range args {
				line += " " + report.ShellWord(a)
			}
			text := "eddy runs Workers on this machine and does not " + what + "\n  that is wrangler's: " + line
			if twin != "" {
				text += "\n  " + twin
			}
			return usage("%s", text)
		},
	}
}
