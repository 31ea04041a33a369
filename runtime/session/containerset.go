package session

import (
	"errors"
	"sync"

	"eddy/runtime/containers"
	"eddy/wrangler"
)

// containerSet is what a session has of containers.
type containerSet struct {
	live containers.Live

	mu sync.Mutex
	// engine is the one that answered, nil before; apps are those of classes, by what the configuration says of them.
	engine *containers.Engine
	apps   map[string]*containers.App
	// setting is what the first configuration says of the engine's place.
	setting string
}

// errNoContainers is why containers do not run that could.
var errNoContainers = errors.New("containers are switched off: by --enable-containers=false, by " +
	"dev.enable_containers, or because this is a replay")

func imageOf(i wrangler.ContainerImage) containers.Image {
	return containers.Image{Dockerfile: i.Dockerfile, Context: i.Context, Args: i.Vars, Reference: i.Reference}
}

// containerOf finds the container that a configuration gives a class: by the class, or by the name that the class's
// entry in exports has.
func containerOf(cfg *wrangler.Config, class string) (wrangler.ContainerBinding, bool) {
	names := map[string]bool{}
	for _, x := range cfg.Exports {
		if x.Name == class && x.Container != "" {
			names[x.Container] = true
		}
	}
	for _, b := range cfg.Containers {
		if b.ClassName == class || names[b.Name] {
			return b, true
		}
	}
	return wrangler.ContainerBinding{}, false
}
