package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/sources/presets"
)

const presetsHead = `A preset is a shipped mapping of one table or one format: what its columns mean, in which units and words, and how a row's life ends. A source takes it by name:

` + "```yaml" + `
sources:
  - {name: receipts, open: "postgres://reader@db/rides", preset: rocket-rides}
  - name: rides
    open: "postgres://reader@db/rides"
    preset: rocket-rides-rides
    table: app.rides                 # where it is called otherwise
    map:
      amount: {from: price, unit: minor, currency: {value: USD}}   # a fact that the preset does not read
      provider_ref: null             # one that is not to be read
` + "```" + `

- What the source itself says wins, fact by fact and condition by condition; the role is the preset's.
- ` + "`idemctl init (DSN|PATH)…`" + ` recognises them: a table by its name, its columns and their types, a file by the members of its records. ` + "`idemctl presets --json`" + ` lists them for scripts.
- Every preset of a table also reads an export of it: CSV with the columns' names as its header, or JSON lines with a member for each column, null or not, and JSON columns as JSON. That is how MySQL, MariaDB and SQL Server are read, which idemctl does not open: export the table, name the file as the table is called (` + "`HangFire.Job.csv`" + `), and init recognises it. An export proves no absence: declare its ` + "`coverage`" + `, or leave it as a record of what was.
- What a preset suggests for a contract (scope, expiry, lease, retention) is yours to declare: init writes it there, and check says where your contract differs.
- Where a database's own clock or zone is not known (a timestamp without zone that a service writes by its machine's clock), the preset reads UTC and says so: give the zone where it is another.
- Each says where its facts were read and when. What nobody could confirm stands as a comment or a choice, never as a field. Where your version differs, ` + "`check`" + ` shows it: a column that is missing, a word that is not known.

`

const presetsTail = `
## What has none, and why

| table | of | why |
|---|---|---|
| audit_records | rocket-rides-atomic | who did what to which row: no key, and nothing that a retry would find |
| acidic_job_entries, acidic_job_values | acidic_job | the log and the values of one execution's steps: how far it came is in recover_to of its row |
| OutboxState | MassTransit | one row for each delivery of several messages: what is unsent still stands in OutboxMessage, and is deleted once it was sent |
| lock | DotNetCore.CAP | who relays now: nothing of a message |
| TXNO_SEQUENCE, TXNO_VERSION | gruelbox/transaction-outbox | counters of topics, and the schema's version |
| TokenEntry, token_entry | Axon Framework | how far a processor has read: nothing of one event |
| State, JobParameter, JobQueue, Server, Hash, List, Set, Counter | Hangfire | the history and the parameters of jobs, and who works on which: the job's own row has its last state |
| exceptions, match_groups, match_items, match_fee_variances, adjustments, disputes, exception_comments, export_jobs, audit_logs, archive_metadata, actor_mapping | Matcher | what its own reconciliation concluded, and who decided: nothing that was executed. ` + "`scan --csv`" + ` gives cases to such a tool |
| reconciliations, matches, unmatched, reconciliation_progress, matching_rules | Blnk | what its own reconciliation concluded |
| reconciliations.policy, reconciliations.reconciliation | Formance | balances of whole ledgers, no action |
| idempotency_keys, idempotency_records, idempotency_receipts and the like | services on Laravel, Rails, … | each service's own: no two are alike, so init reads them by the names of their columns and says what is unsure |
| settlement flat file v2 | Amazon SP-API | lines of fees and settlements, none of which names a request; map it as CSV by ` + "`order-id`" + ` where it is wanted |
| received payments, payment accounting | Adyen | further columns were read nowhere; the settlement details report has a preset |
| Sigma, Workbench | Stripe | the columns are those of the query; what Workbench shows cannot be exported |

## How a preset is written

A data file, internal/sources/presets/data/NAME.yaml, read by the config's own parser: ` + "`role`, `table`, `where`, `claim`, `exclude`, `map`, `row`, `id`, `rows`, `pattern`, `retained`" + ` as in a source, and

| field | says |
|---|---|
| ` + "`title`, `store`, `versions`" + ` | what it reads, who writes it, in which versions it was seen so |
| ` + "`formats`" + ` | where its records stand: table, jsonl, json, csv, text |
| ` + "`facts`" + ` | ` + "`[{from: REPOSITORY:PATH or page, read: 2026-11-30}]`" + `: where that is known from |
| ` + "`notes`" + ` | what a person must know who decides on its rows |
| ` + "`choices`" + ` | what only the service's owner knows, as lines for a source, which init writes as comments |
| ` + "`like`" + ` | how it is recognised: ` + "`table`" + ` (a name or several, * for any text), ` + "`columns: {name: kind}`" + ` (any text integer number time json blob bool uuid), all of which must be there; of files ` + "`fields: {path: text}`" + `, * for any text, ` + "`a | b`" + ` where either will do |
| ` + "`contract`" + ` | what it suggests for one, on one line each |

A test makes each table as its product does, with rows in every state, lets init recognise it and compares what is read: internal/draft/testdata/presets.
`

func presetsPage(t *testing.T) string {
	t.Helper()
	all, err := config.ReadPresets()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Presets\n\n")
	fmt.Fprintf(&b, generated, "`internal/sources/presets/data`")
	b.WriteString(presetsHead)
	b.WriteString("| preset | role | store | reads |\n|---|---|---|---|\n")
	for _, p := range all {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", p.Name, p.Name, p.Source.Role, cell(p.Store), cell(readsShort(p)))
	}
	for _, p := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s. Versions: %s.\n\n", p.Name, p.Title, strings.TrimSuffix(p.Versions, "."))
		for _, n := range p.Notes {
			b.WriteString("- " + n + "\n")
		}
		for _, c := range p.Choices {
			b.WriteString("- To settle: `" + c + "`\n")
		}
		for _, o := range p.Origins {
			fmt.Fprintf(&b, "- Known from %s, read %s.\n", o.From, o.Read.Format(time.DateOnly))
		}
		b.WriteString("\n```yaml\n" + presetFields(p.Name) + "```\n")
	}
	b.WriteString(presetsTail)
	return b.String()
}

// presetFields is what a preset's file says of the source and the contract, as it stands there.
func presetFields(name string) string {
	data, _ := presets.Text(name)
	var b strings.Builder
	told := false
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, " ") {
			field, _, _ := strings.Cut(line, ":")
			switch field {
			case "title", "store", "versions", "facts", "notes", "choices", "formats", "like":
				told = true
			default:
				told = false
			}
		}
		if !told {
			b.WriteString(line)
		}
	}
	return b.String()
}
