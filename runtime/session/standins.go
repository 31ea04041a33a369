package session

import (
	"fmt"
	"path/filepath"

	"eddy/runtime/bindings/dispatch"
	"eddy/runtime/bindings/images"
	"eddy/runtime/bindings/mtls"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/bindings/standin"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// standInClasses are the kinds whose binding is a class over fetch(); the others are stubs.
var standInClasses = map[wrangler.BindingKind]string{
	"ai": "ai", "vectorize": "vectorize", "images": "images", "media": "media",
	"pipelines": "pipelines",
}

// standInBindings are the bindings that somebody whom the user names answers for, or nobody.
func (s *Session) standInBindings(cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, b := range cfg.Unserved {
		if b.Kind == "dispatch_namespaces" && !cfg.StandIns[b.Name].Answers() {
			list = append(list, dispatch.Binding{Key: b.Name, Directory: directory{s},
				Member: s.members(cfg.StandIns[b.Name].Folder), Outbound: b.Outbound, Parameters: b.Parameters})
			continue
		}
		class := standInClasses[b.Kind]
		if b.Kind == "browser" && !cfg.StandIns[b.Name].Answers() {
			class = "browser" // a stand-in has quickAction() itself
		}
		list = append(list, standin.Binding{Key: b.Name, Class: class, Source: s.source(cfg, b)})
	}
	return list
}

// source is who answers for a binding.
func (s *Session) source(cfg *wrangler.Config, b wrangler.UnservedBinding) standin.Source {
	set := cfg.StandIns[b.Name]
	switch {
	case set.Worker != "":
		return standin.Source{Worker: &servicebinding.Binding{Key: b.Name, Service: set.Worker,
			Entrypoint: set.Entrypoint, Directory: directory{s}}}
	case set.URL != "":
		return standin.Source{URL: set.URL}
	case set.Replay != "":
		return standin.Source{Handler: &standin.Replay{File: set.Replay}}
	}
	switch b.Kind {
	case "vectorize":
		return standin.Source{Handler: s.stores.vectorIndex(b.Resource, set)}
	case "images":
		return standin.Source{Handler: images.PictureService{}}
	case "browser":
		return standin.Source{Handler: s.stores.browsersOf(set.Browser)}
	case "pipelines":
		return standin.Source{Handler: s.stores.pipeline(b.Name)}
	case "mtls_certificates":
		if set.Cert == "" || set.Key == "" {
			return standin.Source{Missing: fmt.Sprintf("Binding %s has no certificate here. Name its files in %s: "+
				"{ \"bindings\": { %q: { \"cert\": \"client.pem\", \"key\": \"client-key.pem\" } } }; "+
				"see docs/stand-ins.md.", b.Name, s.settingsFile(cfg), b.Name)}
		}
		return standin.Source{Transport: &mtls.Transport{Cert: set.Cert, Key: set.Key, CA: set.CA}}
	}
	return standin.Source{Missing: s.needsStandIn(cfg, b)}
}

// needsStandIn is the text of a use that nobody answers (BIND-3, with what to do here).
func (s *Session) needsStandIn(cfg *wrangler.Config, b wrangler.UnservedBinding) string {
	return fmt.Sprintf("Binding %s needs to be run remotely: %s has no local form. Name who answers in its place in "+
		"%s: { \"bindings\": { %q: { \"worker\": \"NAME\" } } }, or \"url\", or \"replay\"; see docs/stand-ins.md.",
		b.Name, b.Kind.Friendly(), s.settingsFile(cfg), b.Name)
}

// settingsFile is where eddy's own settings of a Worker are, or go.
func (s *Session) settingsFile(cfg *wrangler.Config) string {
	if cfg.SettingsFile != "" {
		return s.relative(cfg.SettingsFile)
	}
	return s.relative(filepath.Join(cfg.ProjectDir, "eddy.jsonc"))
}
