package front

import (
	"path/filepath"

	"eddy/wrangler"
)

// defaultPort is wrangler dev's.
const defaultPort = 8787

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

// Asked is what the options of a session say of its ports. The configurations of the Workers say the rest.
type Asked struct {
	// IP and Number are those of the first Worker: "" and 0 leave them to its configuration, -1 is any port that is
	// free.
	IP     string
	Number int
	// Protocol is "http" or "https", "" for what each configuration says.
	Protocol string
	// KeyFile and CertFile are those of every port, as paths from Dir; "" for none.
	Dir, KeyFile, CertFile string
}

// Port says where the Worker of a configuration shall listen: the first Worker always, another one only if its
// configuration has dev.port.
func (a Asked) Port(cfg *wrangler.Config, first bool) (p Port, ok bool) {
	dev := cfg.Dev
	if !first && dev.Port == 0 {
		return Port{}, false
	}
	p = Port{IP: dev.IP, Number: dev.Port, Fixed: dev.Port != 0, Config: cfg.Path,
		HTTPS: dev.LocalProtocol == "https", KeyFile: a.absolute(a.KeyFile), CertFile: a.absolute(a.CertFile)}
	if a.Protocol != "" {
		p.HTTPS = a.Protocol == "https"
	}
	if !first {
		return p, true
	}
	if a.IP != "" {
		p.IP = a.IP
	}
	if a.Number != 0 {
		p.Number, p.Fixed = max(a.Number, 0), true
	} else if dev.Port == 0 {
		p.Number = defaultPort
	}
	return p, true
}

func (a Asked) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Dir, path)
}
