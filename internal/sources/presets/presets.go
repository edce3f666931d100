// Package presets holds the shipped mappings: one documented data file for each table or export that idemctl knows by name.
//
// # What it is
//
// data/NAME.yaml says what the rows of one table, or the records of one format, mean, in the map grammar of the config, and with it where that is known from and
// how the table is recognised. The config's own parser reads it (config.ReadPreset), so a preset can say nothing that a config could not say.
//
// # What it never does
//
// It decides nothing that only the service's owner knows: what a preset says of retention, expiry and scope is a suggestion, which init writes into a contract and
// check compares with it. What a config's own map says wins over a preset, field by field.
package presets

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed data/*.yaml
var files embed.FS

const (
	folder = "data"
	ending = ".yaml"
)

// Names lists the presets, sorted.
func Names() []string {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil // an embedded folder is always there
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Text returns a preset's data file; ok is false when none has that name.
func Text(name string) (data []byte, ok bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	data, err := files.ReadFile(path.Join(folder, name+ending))
	return data, err == nil
}
