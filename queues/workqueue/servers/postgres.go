//go:build unix

package servers

// Postgres starts a PostgreSQL; extra are further settings (name=value). PostgreSQL refuses to run as root. In a
// process of root it therefore runs as the user postgres, which Debian's package makes.
func Postgres(extra ...string) (*Server, error) {
	return newPostgres("initdb", func(program, data string) []string {
		return []string{program, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"}
	}, extra, func(*Server) error { return nil })
}
