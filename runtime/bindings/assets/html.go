package assets

import "strings"

// decision is what the files say about a path: a file to send, or a path to redirect to.
type decision struct {
	file     string // the asset's path, "" for none
	redirect string
	missing  bool // the file stands in for one that is not there
}

// step tries one file: it sends the file, or redirects to a path that does.
type step struct {
	file     string
	redirect string
}

// resolve finds the asset of a decoded path: HTML files are reached under the names that html_handling gives them, and
// their other names redirect there. notFound is the not_found_handling; follow is false while a redirect's target is
// tried out.
func (s *Site) resolve(p, notFound string, follow bool) (decision, bool) {
	if s.html == "none" {
		if s.exists(p) {
			return decision{file: p}, true
		}
		return s.missing(p, notFound)
	}
	for _, st := range s.steps(p) {
		if st.redirect == "" {
			if s.exists(st.file) {
				return decision{file: st.file}, true
			}
			continue
		}
		if !follow || !s.exists(st.file) || s.exists(st.redirect) {
			continue
		}
		// A redirect must lead to a name that sends the same file. Otherwise two names could send the client round
		// and round.
		if d, ok := s.resolve(st.redirect, "none", false); ok && d.file == st.file {
			return decision{redirect: st.redirect}, true
		}
	}
	return s.missing(p, notFound)
}

// steps are the files that a path may mean, in the order of the platform.
func (s *Site) steps(p string) []step {
	switch s.html {
	case "force-trailing-slash":
		return forceSlash(p)
	case "drop-trailing-slash":
		return dropSlash(p)
	}
	return autoSlash(p)
}

// autoSlash: x.html is /x, x/index.html is /x/.
func autoSlash(p string) []step {
	var list []step
	if dir, ok := strings.CutSuffix(p, "/index"); ok {
		list = append(list, step{file: p}, step{p + ".html", dir + "/"}, step{dir + ".html", dir})
	} else if dir, ok := strings.CutSuffix(p, "/index.html"); ok {
		list = append(list, step{p, dir + "/"}, step{dir + ".html", dir})
	} else if dir, ok := strings.CutSuffix(p, "/"); ok {
		list = append(list, step{file: p + "index.html"}, step{dir + ".html", dir})
	} else if name, ok := strings.CutSuffix(p, ".html"); ok {
		list = append(list, step{p, name}, step{name + "/index.html", name + "/"})
	}
	return append(list, step{file: p}, step{file: p + ".html"}, step{p + "/index.html", p + "/"})
}

// forceSlash: both x.html and x/index.html are /x/.
func forceSlash(p string) []step {
	var list []step
	if dir, ok := strings.CutSuffix(p, "/index"); ok {
		list = append(list, step{file: p}, step{p + ".html", dir + "/"}, step{dir + ".html", dir + "/"})
	} else if dir, ok := strings.CutSuffix(p, "/index.html"); ok {
		list = append(list, step{p, dir + "/"}, step{dir + ".html", dir + "/"})
	} else if dir, ok := strings.CutSuffix(p, "/"); ok {
		list = append(list, step{file: p + "index.html"}, step{file: dir + ".html"})
	} else if name, ok := strings.CutSuffix(p, ".html"); ok {
		list = append(list, step{p, name + "/"}, step{file: p}, step{name + "/index.html", name + "/"})
	}
	return append(list, step{file: p}, step{p + ".html", p + "/"}, step{p + "/index.html", p + "/"})
}

// dropSlash: both x.html and x/index.html are /x.
func dropSlash(p string) []step {
	var list []step
	if dir, ok := strings.CutSuffix(p, "/index"); ok {
		list = append(list, step{file: p})
		if dir == "" {
			list = append(list, step{"/index.html", "/"})
		} else {
			list = append(list, step{dir + ".html", dir}, step{p + ".html", dir})
		}
	} else if dir, ok := strings.CutSuffix(p, "/index.html"); ok {
		if dir == "" {
			list = append(list, step{p, "/"})
		} else {
			list = append(list, step{p, dir}, step{file: p}, step{dir + ".html", dir})
		}
	} else if dir, ok := strings.CutSuffix(p, "/"); ok {
		if dir == "" {
			list = append(list, step{file: "/index.html"})
		} else {
			list = append(list, step{dir + ".html", dir}, step{dir + "/index.html", dir})
		}
	} else if name, ok := strings.CutSuffix(p, ".html"); ok {
		list = append(list, step{p, name}, step{name + "/index.html", name})
	}
	return append(list, step{file: p}, step{file: p + ".html"}, step{file: p + "/index.html"})
}

// missing is what not_found_handling makes of a path without a file.
func (s *Site) missing(p, notFound string) (decision, bool) {
	switch notFound {
	case "single-page-application":
		if s.exists("/index.html") {
			return decision{file: "/index.html", missing: true}, true
		}
	case "404-page":
		for dir := p; dir != ""; {
			dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
			if s.exists(dir + "/404.html") {
				return decision{file: dir + "/404.html", missing: true}, true
			}
		}
	}
	return decision{}, false
}
