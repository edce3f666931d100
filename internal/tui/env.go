package tui

import (
	"strings"

	"example.com/idemctl/internal/tui/paint"
)

// theme chooses how styles look: what the operator set, attributes alone where colours are not wanted, nothing where the terminal knows none.
func theme(opt Options) string {
	env := opt.Env
	if env == nil {
		env = func(string) string { return "" }
	}
	switch {
	case env("TERM") == "dumb":
		return "plain"
	case env("NO_COLOR") != "":
		return "mono"
	case opt.Theme != "":
		return opt.Theme
	}
	return "ansi"
}

// glyphs chooses the signs: plain ASCII where the locale is not UTF-8.
func glyphs(opt Options) *paint.Glyphs {
	if opt.Glyphs == "ascii" || opt.Glyphs == "" && !utf8Locale(opt.Env) {
		return &paint.ASCII
	}
	return &paint.Unicode
}

func utf8Locale(env func(string) string) bool {
	if env == nil {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(env(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true // nobody said otherwise
}
