package cli

import (
	"path/filepath"
	"runtime/debug"

	"github.com/adrg/xdg"
)

// paths are the files that a2ascope uses.
type paths struct {
	db     string // --db
	demoDB string // sessions of "demo": they never meet those with real peers
	keys   string // the operator's key bindings
	log    string
}

func defaultPaths() paths {
	return paths{
		db:     filepath.Join(xdg.DataHome, "a2ascope", "a2ascope.db"),
		demoDB: filepath.Join(xdg.DataHome, "a2ascope", "demo.db"),
		keys:   filepath.Join(xdg.ConfigHome, "a2ascope", "keys.toml"),
		log:    filepath.Join(xdg.StateHome, "a2ascope", "a2ascope.log"),
	}
}

// Version is the version of this build: of the module, or of the commit that
// it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "dev-" + s.Value[:12]
		}
	}
	return "dev"
}
