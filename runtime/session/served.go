package session

import "eddy/wrangler"

// unserved tells whether a kind of binding has no local form: somebody whom the user names has to answer.
func unserved(kind wrangler.BindingKind) bool {
	switch kind {
	case wrangler.VarBinding, wrangler.SecretBinding, wrangler.QueueBinding, wrangler.DurableObjectBinding,
		wrangler.ServiceBinding, wrangler.VersionMetadataBinding, wrangler.D1Binding, wrangler.KVBinding,
		wrangler.RateLimitBinding,
		wrangler.AnalyticsEngineBinding, wrangler.WasmModuleBinding, wrangler.TextBlobBinding, wrangler.DataBlobBinding,
		wrangler.AssetsBinding, wrangler.R2Binding, wrangler.SecretsStoreBinding, wrangler.WorkflowBinding,
		wrangler.WorkerLoaderBinding, wrangler.HyperdriveBinding, wrangler.SendEmailBinding,
		"images", "vectorize", "pipelines", "dispatch_namespaces", "mtls_certificates", "browser":
		return false
	}
	return true
}
