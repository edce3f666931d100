package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
)

func newTrainNew(env *Env) *cobra.Command {
	var from, out string
	cmd := &cobra.Command{
		Use:   "new --from SCAN --out DIR -c CONFIG CASE…",
		Short: "make a scenario out of cases of a real scan, nobody's data left in it",
		Long: `Writes a scenario of your own to DIR: the records of the named cases of a saved scan, with the
contracts of the config that it was made from. Names, keys and ids are replaced by invented ones,
amounts are shuffled, times are moved; what joined before joins after, and nobody can undo it.
Operations, states, error codes and the contracts stay as they are: read the files before you
pass them on. The scenario is scanned at once; it is written only where it finds the same.`,
		Example: "  idemctl scan --out night.scan prod.yaml\n  idemctl train new --from night.scan --out night -c prod.yaml dbfidmg7 a3kq\n  idemctl train night",
		Args:    arguments(1, 1000, "the ids of one case or more"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case from == "":
				return &usageError{what: "train new: --from names no saved scan", hint: "make one: idemctl scan --out night.scan CONFIG"}
			case out == "":
				return &usageError{what: "train new: --out names no folder", hint: "name one that is not there yet: --out night"}
			case env.global.config == "":
				return &usageError{what: "train new: no config is named", hint: "name the one that the scan was made from: -c prod.yaml"}
			}
			return env.trainNew(cmd.Context(), from, out, args)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the saved `SCAN` with the cases")
	cmd.Flags().StringVar(&out, "out", "", "write the scenario to this `DIR`")
	return cmd
}

// trainNew makes a scenario, holds it against the cases that it was made of, and writes it.
func (e *Env) trainNew(ctx context.Context, from, out string, ids []string) error {
	if _, err := os.Lstat(out); err == nil {
		return &failure{what: text.SafeString(out) + " is there already", hint: "name a folder that is not: nothing is ever written over"}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t, err := e.target(nil)
	if err != nil {
		return err
	}
	if err := t.noSaved("train new"); err != nil {
		return err
	}
	cfg, err := e.load(t, "")
	if err != nil {
		return err
	}
	res, err := scan.OpenSaved(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	if m := res.Manifest(); m.ConfigDigest != cfg.Digest {
		return &failure{what: fmt.Sprintf("%s was not made from %s as it is now", text.SafeString(from), text.SafeString(cfg.Path)), hint: "scan again: idemctl scan --out FILE.scan " + text.SafeString(cfg.Path)}
	}
	cases, told, err := tell(ctx, cfg, res, ids)
	if err != nil {
		return err
	}
	files, become, err := scenario.Retell(told, secret(32), someTimeAgo())
	if err != nil {
		return err
	}
	return e.keepScenario(ctx, files, cases, become, out)
}

// someTimeAgo is between a month and a year, to the millisecond: also the seconds of an instant would tell which one it was.
func someTimeAgo() time.Duration {
	return -30*24*time.Hour - time.Duration(binary.BigEndian.Uint64(secret(8))%(330*24*60*60*1000))*time.Millisecond
}

// secret is random bytes that are kept nowhere.
func secret(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

// tell reads the named cases off a scan, and how their sources were read.
func tell(ctx context.Context, cfg *config.Config, res *scan.Result, ids []string) ([]*scan.Case, *scenario.Told, error) {
	m := res.Manifest()
	contracts, err := contractsOf(cfg)
	if err != nil {
		return nil, nil, err
	}
	told := &scenario.Told{Now: m.Now, Contracts: contracts}
	var cases []*scan.Case
	for _, id := range ids {
		c, err := res.Case(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(cases, func(o *scan.Case) bool { return o.CaseID == c.CaseID }) {
			continue
		}
		cases = append(cases, c)
		one := scenario.ToldCase{Identity: c.Identity}
		for i := range c.Evidence {
			one.Records = append(one.Records, scenario.ToldRecord{Source: c.Evidence[i].Source, Facts: c.Evidence[i].Facts})
		}
		told.Cases = append(told.Cases, one)
	}
	for i := range cfg.Sources {
		spec := &cfg.Sources[i]
		s := scenario.ToldSource{Name: spec.Name, Role: spec.Role, Serves: spec.Serves, Attempts: spec.Row == "attempt", Skew: spec.Skew, Retained: spec.Retained.D}
		for _, f := range spec.Map {
			s.Fields = append(s.Fields, f.Name)
		}
		for j := range m.Sources {
			if m.Sources[j].Name == spec.Name {
				s.Coverage = m.Sources[j].Coverage
			}
		}
		for j := range m.Gaps {
			if g := &m.Gaps[j]; g.Store == spec.Name && g.Declared {
				s.Restores = append(s.Restores, g.Event())
			}
		}
		told.Sources = append(told.Sources, s)
	}
	return cases, told, nil
}

// contractsOf are the contracts as the config's file has them.
func contractsOf(cfg *config.Config) ([]byte, error) {
	var data []byte
	var err error
	if cfg.Place.FS != nil {
		data, err = fs.ReadFile(cfg.Place.FS, config.FileName)
	} else {
		data, err = os.ReadFile(cfg.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the contracts: %w", err)
	}
	var file struct {
		Contracts any `yaml:"contracts"`
	}
	if err := yaml.UnmarshalWithOptions(data, &file, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("reading the contracts: %w", err)
	}
	return yaml.Marshal(file.Contracts)
}

// keepScenario scans what was made, holds it against the cases, and writes it with its answer key.
func (e *Env) keepScenario(ctx context.Context, files map[string][]byte, cases []*scan.Case, become [][]reconcile.Component, out string) error {
	dir, err := os.MkdirTemp(filepath.Dir(out), ".idemctl-scenario-")
	if err != nil {
		return fmt.Errorf("writing the scenario: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return fmt.Errorf("writing the scenario: %w", err)
		}
	}
	cfg, err := e.load(target{path: filepath.Join(dir, config.FileName)}, "")
	if err != nil {
		return err
	}
	res, err := e.scan(ctx, cfg, scan.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	f, err := found(ctx, res)
	if err != nil {
		return err
	}
	if what := unlike(f, cases, become); what != "" {
		return &failure{what: "the scenario would not be what happened: " + what, hint: "it rests on records of other actions too: name their cases as well; of an action that is no case a saved scan keeps no record"}
	}
	key, err := scenario.Draft(f)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, scenario.FileName), key, 0o600); err != nil {
		return fmt.Errorf("writing the scenario: %w", err)
	}
	if err := os.Rename(dir, out); err != nil {
		return fmt.Errorf("writing the scenario: %w", err)
	}
	e.talk("idemctl: %d cases are written to %s; write its story and its words, then: idemctl train check %[2]s, idemctl train %[2]s", len(cases), text.SafeString(out))
	return nil
}

// unlike says where the scenario differs from what it was made of, "" nowhere: in the kinds, in what was executed, or in what the guard allows. become are the
// identities of the cases there.
func unlike(f *scenario.Found, cases []*scan.Case, become [][]reconcile.Component) string {
	for i, c := range cases {
		at := slices.IndexFunc(f.Cases, func(o scenario.FoundCase) bool {
			return slices.EqualFunc(o.Identity, become[i], func(x, y reconcile.Component) bool { return x.Name == y.Name && x.Value.Equal(y.Value) })
		})
		if at < 0 {
			return "case " + c.CaseID + " is none there"
		}
		if what := differs(&c.Judgement, f.Cases[at].Judgement); what != "" {
			return "case " + c.CaseID + " " + what
		}
	}
	if len(f.Cases) != len(cases) {
		return fmt.Sprintf("%d cases were named, and %d are found", len(cases), len(f.Cases))
	}
	return ""
}

// differs says in what a case is judged otherwise where it was made again.
func differs(was, is *reconcile.Judgement) string {
	if !slices.Equal(was.Kinds, is.Kinds) {
		return fmt.Sprintf("was %v, and is %v there", was.Kinds, is.Kinds)
	}
	if was.Executed != is.Executed {
		return fmt.Sprintf("was executed: %s, and is %s there", was.Executed, is.Executed)
	}
	for i := range min(len(was.Options), len(is.Options)) {
		o, n := &was.Options[i], &is.Options[i]
		if o.As == reconcile.Distinct || o.As == reconcile.DuplicateOf {
			continue // the other action may be one that is no case, so that the scan did not keep it
		}
		if o.Decision != n.Decision || o.As != n.As || o.Allowed != n.Allowed {
			return fmt.Sprintf("was answered %s to %s, and is answered %s there", o.Code, strings.TrimSpace(o.Decision.String()+" "+o.As.String()), n.Code)
		}
	}
	return ""
}
