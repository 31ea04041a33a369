package front

// DefaultPort is wrangler dev's.
const DefaultPort = 8787

// Port is where a front shall listen.
type Port struct {
	// IP is an address of this machine; "" and "localhost" mean 127.0.0.1, "*" means all.
	IP string
	// Number is the port, 0 for any that is free. Fixed says that no other may be taken instead.
	Number int
	Fixed  bool
	// HTTPS serves with the certificate of KeyFile and CertFile, PEM files, or with one made for the session.
	HTTPS             bool
	KeyFile, CertFile string
	// Config is the configuration file in which the port could be changed.
	Config string
}
