package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/rows"
)

func TestValuesAsStored(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path, "CREATE TABLE v (name TEXT, c, at DATETIME, n INTEGER, j)",
		"INSERT INTO v VALUES ('int', 9007199254740993, '2026-11-29 06:00:05', '0123', '{\"a\": {\"b\": 1, \"c\": \"x\"}}')",
		"INSERT INTO v VALUES ('real', 0.1, 1764396005, 'abc', '{\"a\": 1}')",
		"INSERT INTO v VALUES ('whole real', 5.0, NULL, 1.5, 'not json')",
		"INSERT INTO v VALUES ('large real', 1e300, NULL, NULL, NULL)",
		"INSERT INTO v VALUES ('infinite', -9e999, NULL, NULL, 7)",
		"INSERT INTO v VALUES ('text', CAST(x'6100ff62' AS TEXT), '', '', '[]')",
		"INSERT INTO v VALUES ('blob', x'00ff', x'', NULL, CAST('{\"a\":{\"c\":null}}' AS BLOB))",
		fmt.Sprintf("INSERT INTO v VALUES ('longest', printf('%%.*c', %d, 'x'), NULL, NULL, NULL)", maxCell),
		fmt.Sprintf("INSERT INTO v VALUES ('longer', printf('%%.*c', %d, 'x'), NULL, NULL, NULL)", maxCell+1),
		"INSERT INTO v VALUES ('huge', zeroblob(90000000), NULL, NULL, NULL)",
		"INSERT INTO v VALUES ('after', 'end', NULL, NULL, NULL)",
	)
	want := []string{
		`1 text:"int" int:9007199254740993 text:"2026-11-29 06:00:05" int:123 int:1 text:"x" kind8:{"b": 1, "c": "x"}`,
		`2 text:"real" real:0.1 int:1764396005 text:"abc" missing missing int:1`,
		`3 text:"whole real" real:5 null real:1.5 bad:not JSON bad:not JSON bad:not JSON`,
		`4 text:"large real" real:1e+300 null null missing missing missing`,
		`5 text:"infinite" real:-Inf null null missing missing missing`,
		`6 text:"text" text:"a\x00\xffb" text:"" text:"" missing missing missing`,
		`7 text:"blob" blob:00ff blob: null missing null kind8:{"c":null}`,
		fmt.Sprintf(`8 text:"longest" text:%q null null missing missing missing`, strings.Repeat("x", maxCell)),
		`9 text:"longer" bad:1048577 bytes, longer than the 1048576 that are read of one value null null missing missing missing`,
		`10 text:"huge" bad:90000000 bytes, longer than the 1048576 that are read of one value null null missing missing missing`,
		`11 text:"after" text:"end" null null missing missing missing`,
	}
	s := open(t, path)
	paths := append(columns("name", "c", "at", "n"), rows.Path{Column: "j", Members: []string{"a", "b"}}, rows.Path{Column: "J", Members: []string{"a", "c"}}, rows.Path{Column: "j", Members: []string{"a"}})
	tab := bound(t, s, "v", paths...)
	got, at, ext := scan(t, tab)
	if !ext.Complete || !ext.Whole {
		t.Errorf("extent %+v", ext)
	}
	compare := func(got []string) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i := range got {
			if i == 2 {
				got[i] = strings.Split(got[i], " bad:")[0] + strings.Repeat(" bad:not JSON", 3) // the reason is jsonwalk's
			}
			if got[i] != want[i] {
				t.Errorf("row %d:\n%.300s\nwant\n%.300s", i+1, got[i], want[i])
			}
		}
	}
	compare(got)
	var fetched []string
	must(t, tab.Fetch(t.Context(), at, func(pos rows.Pos, locator string, cells []rows.Cell, raw []rows.Named) error {
		fetched = append(fetched, shown(pos, cells))
		if locator != fmt.Sprintf("v/%d", pos) || len(raw) != 5 {
			t.Errorf("%s with %d columns", locator, len(raw))
		}
		return nil
	}))
	compare(fetched)
	if c := tab.Columns()[3]; c.Affinity != "INTEGER" || tab.Columns()[2].Affinity != "NUMERIC" || tab.Columns()[0].Affinity != "" {
		t.Errorf("columns %+v", tab.Columns())
	}
}

func TestAffinity(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		"": "", "TEXT": "", "varchar(20)": "", "BLOB": "", "ANY": "", "STRING": "NUMERIC", "DECIMAL(10,2)": "NUMERIC", "bigint": "INTEGER",
		"CHARINT": "INTEGER", "FLOATING POINT": "INTEGER", "DOUBLE": "REAL", "DATETIME": "NUMERIC",
	} {
		if got := affinity(declared); got != want {
			t.Errorf("%q: %q, want %q", declared, got, want)
		}
	}
}

func TestKeysOfEveryKindOfTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path,
		"CREATE TABLE neg (k TEXT)", "INSERT INTO neg (rowid, k) VALUES (-5, 'a'), (7, 'b'), (9223372036854775807, 'c')", "CREATE INDEX nk ON neg (k DESC)",
		"CREATE TABLE pair (b TEXT, a INTEGER, v TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID", "INSERT INTO pair VALUES ('x', 2, 'p'), ('y', 1, 'q'), ('x', 1, 'r')",
		"CREATE VIEW joined AS SELECT k, v FROM neg, pair ORDER BY k, v",
		"CREATE TABLE taken (rowid TEXT, _rowid_ TEXT, oid TEXT)", "INSERT INTO taken VALUES ('1', '2', '3')",
		`CREATE TABLE "odd ""; name" ("col "" x" TEXT)`, `INSERT INTO "odd ""; name" VALUES ('z')`,
		"CREATE TABLE computed (a TEXT, twice AS (a || a) VIRTUAL)", "INSERT INTO computed (a) VALUES ('{')",
	)
	s := open(t, path)
	for _, tc := range []struct {
		table    string
		id       []string
		column   string
		locators []string
		cells    []string
	}{
		{"neg", nil, "k", []string{"neg/-5", "neg/7", "neg/9223372036854775807"}, []string{`text:"a"`, `text:"b"`, `text:"c"`}},
		{"neg", nil, "rowid", []string{"neg/-5", "neg/7", "neg/9223372036854775807"}, []string{"int:-5", "int:7", "int:9223372036854775807"}},
		{"pair", nil, "v", []string{"pair/1,x", "pair/1,y", "pair/2,x"}, []string{`text:"r"`, `text:"q"`, `text:"p"`}},
		{"pair", []string{"v"}, "v", []string{"pair/r", "pair/q", "pair/p"}, []string{`text:"r"`, `text:"q"`, `text:"p"`}},
		{"taken", nil, "rowid", []string{"taken/#0"}, []string{`text:"1"`}},
		{`odd "; name`, nil, `col " x`, []string{`odd "; name/1`}, []string{`text:"z"`}},
		{"computed", nil, "a", []string{"computed/1"}, []string{`text:"{"`}},
		{"computed", nil, "twice", []string{"computed/1"}, []string{`text:"{{"`}},
	} {
		tab, err := s.Table(tc.table, tc.id...)
		must(t, err)
		must(t, tab.Bind(columns(tc.column)))
		_, at, _ := scan(t, tab)
		var locators, cells []string
		must(t, tab.Fetch(t.Context(), at, func(_ rows.Pos, locator string, c []rows.Cell, _ []rows.Named) error {
			locators, cells = append(locators, locator), append(cells, showCell(c[0]))
			return nil
		}))
		if !slices.Equal(locators, tc.locators) || !slices.Equal(cells, tc.cells) {
			t.Errorf("%s: %q %q", tc.table, locators, cells)
		}
		must(t, tab.Close())
	}
	if tab, err := s.Table("joined"); err != nil {
		t.Error(err)
	} else if err := tab.Bind(columns("v")); err != nil {
		t.Error(err)
	} else if got, _, ext := scan(t, tab); len(got) != 9 || !ext.Complete || ext.Whole {
		t.Errorf("view: %q %+v", got, ext)
	}
}

// TestNextNumbers: the store says what it hands out next, as far as it numbers a column; rows that were deleted count where it remembers them.
func TestNextNumbers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path,
		"CREATE TABLE ever (id INTEGER PRIMARY KEY AUTOINCREMENT)", "INSERT INTO ever VALUES (7), (9)", "DELETE FROM ever WHERE id = 9",
		`CREATE TABLE "put ""; back" (id INTEGER PRIMARY KEY AUTOINCREMENT)`, `INSERT INTO "put ""; back" VALUES (9)`, "UPDATE sqlite_sequence SET seq = 3 WHERE name LIKE 'put%'",
		"CREATE TABLE never (id INTEGER PRIMARY KEY AUTOINCREMENT)",
		"CREATE TABLE highest (id INTEGER PRIMARY KEY)", "INSERT INTO highest VALUES (7), (9)", "DELETE FROM highest WHERE id = 9",
		"CREATE TABLE last (id INTEGER PRIMARY KEY)", "INSERT INTO last VALUES (9223372036854775807)",
		"CREATE TABLE own (id INT PRIMARY KEY)", "INSERT INTO own VALUES (5)",
		"CREATE TABLE apart (id INTEGER PRIMARY KEY) WITHOUT ROWID", "INSERT INTO apart VALUES (5)",
	)
	s := open(t, path)
	for table, want := range map[string]int64{"ever": 10, `put "; back`: 10, "never": 1, "highest": 8, "last": 0, "own": 0, "apart": 0} {
		tab, err := s.Table(table)
		must(t, err)
		if got := tab.Columns()[0].Next; got != want {
			t.Errorf("%s: %d comes next, want %d", table, got, want)
		}
		must(t, tab.Close())
	}
}

func TestNamesThatAreNotThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path, receipts, "CREATE TABLE effects (a)")
	s := open(t, path)
	_, err := s.Table("recipts")
	if !errors.Is(err, rows.ErrNoTable) || rows.HintOf(err) != `did you mean "receipts"?` {
		t.Errorf("%v, hint %q", err, rows.HintOf(err))
	}
	_, err = s.Table("x")
	if !errors.Is(err, rows.ErrNoTable) || rows.HintOf(err) != "there is: effects, receipts" {
		t.Errorf("%v, hint %q", err, rows.HintOf(err))
	}
	tab, err := s.Table("receipts")
	must(t, err)
	err = tab.Bind(columns("kye"))
	if !errors.Is(err, rows.ErrNoColumn) || rows.HintOf(err) != `did you mean "key"?` {
		t.Errorf("%v, hint %q", err, rows.HintOf(err))
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.db")
	create(t, path, receipts, fillRows("receipts", 700))
	s := open(t, path)
	tab, err := s.Query("SELECT key AS k, id FROM receipts WHERE id > 100 ORDER BY id DESC; -- newest first", []string{"ID"})
	must(t, err)
	must(t, tab.Bind(columns("K")))
	got, at, ext := scan(t, tab)
	if len(got) != 600 || got[0] != `0 text:"key-700"` || !ext.Complete || ext.Whole {
		t.Errorf("%d rows, first %q, %+v", len(got), got[0], ext)
	}
	must(t, tab.Fetch(t.Context(), at[5:6], func(_ rows.Pos, locator string, cells []rows.Cell, raw []rows.Named) error {
		if locator != "query/695" || showCell(cells[0]) != `text:"key-695"` || len(raw) != 2 {
			t.Errorf("%s %s %v", locator, showCell(cells[0]), raw)
		}
		return nil
	}))
	for _, hostile := range []string{
		"", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1) UNION SELECT (2", `SELECT "no such column" FROM receipts`, "SELECT id, id FROM receipts",
		"ATTACH '" + filepath.Join(dir, "new.db") + "' AS n", "VACUUM INTO '" + filepath.Join(dir, "new.db") + "'", "DELETE FROM receipts RETURNING id",
		"INSERT INTO receipts VALUES (0,'','') RETURNING id", "PRAGMA journal_mode=WAL", "PRAGMA user_version=7", "BEGIN", "COMMIT", "CREATE TABLE x(a)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n", "SELECT load_extension('x')", "SELECT randomblob(1000000000)",
		"SELECT zeroblob(1000000000)", "SELECT 1 AS a FROM receipts WHERE", "SELECT id FROM nowhere",
	} {
		if _, err := s.Query(hostile, nil); err == nil {
			t.Errorf("accepted %q", hostile)
		}
	}
	if _, err := s.Query("SELECT id FROM receipts", []string{"key"}); !errors.Is(err, rows.ErrNoColumn) {
		t.Errorf("id column that is not selected: %v", err)
	}
	if after := listing(t, dir); strings.Contains(after, "new.db") {
		t.Error(after)
	}
}

// Work that never reaches a first row ends with the context too.
func TestCancelsWithoutRows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path, receipts, fillRows("receipts", 5000),
		"CREATE VIEW endless AS SELECT a.id FROM receipts a, receipts b, receipts c, receipts d WHERE a.id + b.id + c.id + d.id < 0")
	s := open(t, path)
	tab := bound(t, s, "endless", columns("id")...)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	ext, err := tab.Scan(ctx, func(rows.Pos, []rows.Cell) error { return nil }, nil)
	if !errors.Is(err, context.DeadlineExceeded) || ext.Complete || ext.Reason == "" {
		t.Errorf("%+v %v", ext, err)
	}
}

func TestRowsCostNoAllocation(t *testing.T) { // alone, because it counts
	path := filepath.Join(t.TempDir(), "s.db")
	const n = 20000
	create(t, path, "PRAGMA journal_mode=WAL", "CREATE TABLE receipts (id INTEGER PRIMARY KEY, key TEXT, payload TEXT, amount REAL)",
		strings.Replace(fillRows("receipts", n), "hex(randomblob(20))", `'{"a": {"b": '||i||'}}', i / 8.0`, 1))
	s := open(t, path)
	tab := bound(t, s, "receipts", append(columns("key", "id", "amount"), rows.Path{Column: "payload", Members: []string{"a", "b"}})...)
	per := testing.AllocsPerRun(3, func() {
		if _, err := tab.Scan(context.Background(), func(rows.Pos, []rows.Cell) error { return nil }, nil); err != nil {
			t.Error(err)
		}
	})
	if per > n/100 {
		t.Errorf("%.0f allocations for %d rows", per, n)
	}
}

func BenchmarkScan(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.db")
	const n = 1_000_000
	create(b, path, "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n))
	s := open(b, path)
	tab := bound(b, s, "receipts", columns("id", "key", "payload")...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tab.Scan(context.Background(), func(rows.Pos, []rows.Cell) error { return nil }, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
