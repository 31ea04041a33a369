package session

import (
	"fmt"

	"eddy/runtime/bindings/secretsstore"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// secretBindings are the secrets of stores.
func (s *Session) secretBindings(cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	var read func(string)
	if s.opts.Journal.On {
		read = func(value string) { s.redactor.Hide(value) }
	}
	for _, b := range cfg.SecretsStore {
		list = append(list, secretsstore.Binding{Key: b.Binding, Secret: b.SecretName,
			Store: s.stores.secretsStore(b.StoreID), Read: read, Missing: func() { s.tellMissingSecret(b) }})
	}
	return list
}

// tellMissingSecret says which command makes a secret that a Worker has asked for. The Worker gets the platform's text,
// which names no store.
func (s *Session) tellMissingSecret(b wrangler.SecretsStoreSecret) {
	s.lines.Line(report.Warn, "secret", fmt.Sprintf("Store %s has no secret %s here. Make it: "+
		"eddy secrets-store secret create %s --name %s --value VALUE", b.StoreID, b.SecretName,
		report.ShellWord(b.StoreID), report.ShellWord(b.SecretName)),
		report.F("store", b.StoreID), report.F("secret", b.SecretName))
}
