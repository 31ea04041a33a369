package wrangler

// LoadScript is Load for a Worker that has no configuration file: Options.Main is its entry, dir stands for the
// directory of the file. Everything has its default; Config.Path is empty.
func LoadScript(dir string, opts Options) (*Config, Diagnostics) { return LoadText(dir, "{}", opts) }
