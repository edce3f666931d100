package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/spelling"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// settings are the operator's own: how the console looks, and which keys it has.
type settings struct {
	theme, glyphs string
	keys          *keymap.Map
}

// maxSettings is more than anybody writes.
const maxSettings = 1 << 20

// settings reads $XDG_CONFIG_HOME/idemctl/config.yaml. Where it is missing, everything is as it comes.
func (e *Env) settings() (settings, error) {
	none := settings{keys: keymap.Default()}
	dir := e.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home := e.Getenv("HOME")
		if home == "" {
			return none, nil
		}
		dir = filepath.Join(home, ".config")
	}
	name := filepath.Join(dir, "idemctl", "config.yaml")
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return none, nil
	case err != nil:
		return none, fmt.Errorf("reading the settings: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxSettings:
		return none, &config.Error{File: name, Msg: "not a settings file", Hint: "it is a small YAML file with theme, glyphs and keys"}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return none, fmt.Errorf("reading the settings: %w", err)
	}
	return parseSettings(name, data)
}

// parseSettings reads the settings strictly: whatever is not known is an error at its line.
func parseSettings(name string, data []byte) (out settings, err error) {
	defer func() {
		if recover() != nil { // the parser's own defect must not end the program
			err = &config.Error{File: name, Msg: "not readable as YAML", Hint: "check quotes and indentation"}
		}
	}()
	out.keys = keymap.Default()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		e := &config.Error{File: name, Msg: "not readable as YAML", Hint: "check quotes and indentation"}
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			e.Line, e.Col = syntax.GetToken().Position.Line, syntax.GetToken().Position.Column
		}
		return out, e
	}
	p := &settingsParser{file: name}
	for _, doc := range file.Docs {
		for _, m := range p.members(doc.Body) {
			switch m.name {
			case "theme":
				out.theme = p.oneOf(m, paint.Palettes())
			case "glyphs":
				out.glyphs = p.oneOf(m, []string{"unicode", "ascii"})
			case "keys":
				out.keys = p.keys(m)
			default:
				p.fail(m.key, suggest(m.name, []string{"theme", "glyphs", "keys"}), "unknown setting %q", text.SafeString(m.name))
			}
		}
	}
	return out, p.err
}

// settingsParser keeps the first error.
type settingsParser struct {
	file string
	err  error
}

func (p *settingsParser) fail(at ast.Node, hint, format string, a ...any) {
	if p.err != nil {
		return
	}
	e := &config.Error{File: p.file, Msg: fmt.Sprintf(format, a...), Hint: hint}
	if t := at.GetToken(); t != nil && t.Position != nil {
		e.Line, e.Col = t.Position.Line, t.Position.Column
	}
	p.err = e
}

type setting struct {
	name  string
	key   ast.Node
	value ast.Node
}

// members are the entries of a mapping; nothing at all is an empty one.
func (p *settingsParser) members(n ast.Node) []setting {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		p.fail(n, "write it as name: value", "a list of settings is wanted")
	}
	var out []setting
	for _, v := range values {
		out = append(out, setting{v.Key.GetToken().Value, v.Key, v.Value})
	}
	return out
}

// texts are the values of a setting: one, or a list.
func (p *settingsParser) texts(m setting) []string {
	nodes := []ast.Node{m.value}
	if list, ok := m.value.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	var out []string
	for _, n := range nodes {
		s, ok := n.(ast.ScalarNode)
		if !ok {
			p.fail(n, "", "%s: a text is wanted", text.SafeString(m.name))
			continue
		}
		out = append(out, s.GetToken().Value)
	}
	return out
}

func (p *settingsParser) oneOf(m setting, allowed []string) string {
	got := p.texts(m)
	if len(got) == 1 && slices.Contains(allowed, got[0]) {
		return got[0]
	}
	word := ""
	if len(got) > 0 {
		word = got[0]
	}
	p.fail(m.value, suggest(word, allowed), "%s: %q is not known", m.name, text.SafeString(word))
	return ""
}

// keys reads the keys of actions. "space" is the space bar.
func (p *settingsParser) keys(m setting) *keymap.Map {
	over, at := make(map[keymap.ID][]string), make(map[keymap.ID]setting)
	for _, one := range p.members(m.value) {
		id := keymap.ID(one.name)
		at[id] = one
		for _, k := range p.texts(one) {
			if k == "space" {
				k = " "
			}
			over[id] = append(over[id], k)
		}
	}
	made, err := keymap.New(over)
	var clash *keymap.ClashError
	if !errors.As(err, &clash) {
		return made
	}
	hint := clash.Hint
	if keymap.Find(clash.ID) == nil {
		var ids []string
		for i := range keymap.Actions {
			ids = append(ids, string(keymap.Actions[i].ID))
		}
		if near := spelling.Meant(string(clash.ID), ids); near != "" {
			hint = "did you mean " + near + "?"
		}
	}
	node := m.key
	if one, ok := at[clash.ID]; ok {
		node = one.key
	}
	p.fail(node, hint, "%s", text.Once(clash.What))
	return keymap.Default()
}
