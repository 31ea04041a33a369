package wrangler

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// containerKeys are those of a container that matter for deployment only.
var containerKeys = []string{"instances", "max_instances", "observability", "scheduling_policy", "instance_type", "ssh",
	"wrangler_ssh", "authorized_keys", "trusted_user_ca_keys", "constraints", "affinities", "rollout_step_percentage",
	"rollout_kind", "durable_objects", "rollout_active_grace_period", "unsafe"}

// readContainers reads the containers of Durable Object classes (BIND-150).
func (s *scope) readContainers(cfg *Config) {
	e, ok := s.lookup("containers")
	if !ok {
		return
	}
	for _, o := range s.openAll(e.path, e.value, entryPhrase) {
		b := ContainerBinding{Name: o.text("name"), ClassName: o.text("class_name"), Pos: o.pos()}
		name, context := o.text("image"), o.text("image_build_context")
		vars := o.textMap("image_vars")
		if c, ok := o.child("configuration", fieldPhrase); ok && name == "" {
			name = c.text("image")
		}
		managed := false
		if v := o.n.get("scheduling_policy"); v != nil {
			managed = v.text == "durable_object"
		}
		switch {
		case name != "":
			b.Image = s.readImage(cfg, o, name, context, vars)
		case !managed:
			o.errorAt(o.n.span, `"containers.image" field must be defined for each container app. This should be the `+
				`path to your Dockerfile or an image URI pointing to the Cloudflare registry.`,
				"add "+o.assign("image", `"./Dockerfile"`))
		}
		b.Named = readNamedImages(cfg, o)
		o.accept(containerKeys...)
		o.finish()
		cfg.Containers = append(cfg.Containers, b)
	}
}

// readImage tells a path from a reference, as wrangler does: by whether the file is there.
func (s *scope) readImage(cfg *Config, o *object, name, context string, vars map[string]string) *ContainerImage {
	path := cfg.abs(name)
	info, err := os.Stat(path)
	wrong := fmt.Sprintf("The image %q does not appear to be a valid path to a Dockerfile, or a valid image registry "+
		"path:\n", name)
	last := name[strings.LastIndex(name, "/")+1:]
	switch {
	case err == nil && info.IsDir():
		o.errorAt(o.spanOf("image"), name+" is a directory, you should specify a path to the Dockerfile",
			"name the file, as "+o.assign("image", quoteJSON(strings.TrimSuffix(name, "/")+"/Dockerfile")))
		return nil
	case err == nil:
		i := &ContainerImage{Dockerfile: path, Context: filepath.Dir(path), Vars: vars}
		if context != "" {
			i.Context = cfg.abs(context)
		}
		return i
	case strings.Contains(name, "://"):
		o.errorAt(o.spanOf("image"), wrong+"Image reference should not include the protocol part (e.g: "+
			"docker.io/httpd:1, not https://docker.io/httpd:1)", "leave the protocol out")
		return nil
	case !strings.Contains(last, ":"):
		o.errorAt(o.spanOf("image"), wrong+"If this is an image registry path, it needs to include at least a tag ':' "+
			"(e.g: docker.io/httpd:1)", "name a file that exists, or add a tag")
		return nil
	}
	return &ContainerImage{Reference: name}
}

// readNamedImages reads the images among which start() chooses.
func readNamedImages(cfg *Config, o *object) map[string]ContainerImage {
	all, ok := o.child("images", fieldPhrase)
	if !ok {
		return nil
	}
	images := map[string]ContainerImage{}
	for _, name := range all.n.keys() {
		one, ok := all.child(name, fieldPhrase)
		if !ok {
			continue
		}
		file, reference := one.text("dockerfile"), one.text("image")
		if (file == "") == (reference == "") {
			one.errorAt(one.n.span, fmt.Sprintf(`%q must specify exactly one of "dockerfile" or "image".`, one.path),
				"leave one of the two")
			continue
		}
		i := ContainerImage{Reference: reference, Vars: one.textMap("build_vars")}
		if file != "" {
			i.Dockerfile = cfg.abs(file)
			i.Context = filepath.Dir(i.Dockerfile)
			if context := one.text("build_context"); context != "" {
				i.Context = cfg.abs(context)
			}
		}
		images[name] = i
		one.finish()
	}
	return images
}

// textMap returns an optional member that is an object of strings.
func (o *object) textMap(key string) map[string]string {
	c, ok := o.child(key, fieldPhrase)
	if !ok {
		return nil
	}
	m := map[string]string{}
	for _, name := range c.n.keys() {
		m[name] = c.text(name)
	}
	return m
}
