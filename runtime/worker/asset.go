package worker

import (
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
)

// assetValue makes the value of an imported file.
func (iso *Isolate) assetValue(a bundle.Asset) (goja.Value, error) {
	switch a.Kind {
	case bundle.RuleText:
		return iso.Runtime().ToValue(string(a.Bytes)), nil
	case bundle.RuleData:
		return iso.Realm.ArrayBuffer(append([]byte(nil), a.Bytes...)), nil
	case bundle.RuleCompiledWasm:
		if iso.opts.Wasm == nil {
			return nil, fmt.Errorf("%s: WebAssembly is not available in this isolate", a.Name)
		}
		return iso.opts.Wasm(iso, a.File, a.Bytes)
	}
	return nil, fmt.Errorf("%s: imports of kind %s are not served", a.Name, a.Kind)
}
