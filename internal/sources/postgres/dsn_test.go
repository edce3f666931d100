package postgres

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// TestAURLIsTakenLiterallyOrRefused: nothing in it reaches the server but where to connect and who, and no error repeats a piece of it.
func TestAURLIsTakenLiterallyOrRefused(t *testing.T) {
	t.Parallel()
	for dsn, words := range map[string]string{
		"postgres://u:canary@h:canary/db":                        "cannot be read",
		"postgres://u:can@ary/x@h/db":                            "reserved character",
		"postgres://u:1/canary@h/db":                             "reserved character",
		"postgres://u:1?canary@h/db":                             "reserved character",
		"postgres://u:1#canary@h/db":                             "reserved character",
		"postgres://u:%zzcanary@h/db":                            "cannot be read",
		"postgres:host=h password = canary":                      "cannot be read",
		"host=h password = canary":                               "cannot be read",
		"postgres://h/db?password=canary&password=canary2":       "twice",
		"postgres://h/db?options=-c%20search_path%3Dcanary":      "may not set options",
		"postgres://h/db?search_path=canary":                     "may not set search_path",
		"postgres://h/db?servicefile=/canary":                    "may not set servicefile",
		"postgres://h/db?canary=1":                               "not known",
		"postgres://h/db?sslmod=disable":                         "not known",
		"postgres://h/db?ssl=canary":                             "ssl is true or nothing",
		"postgres://h/db?sslmode=canary":                         "certificate or key",
		"postgres://h/db?sslrootcert=/canary":                    "certificate or key",
		"postgres://h/db?target_session_attrs=canary":            "target_session_attrs",
		"postgres://h/db?connect_timeout=canary":                 "connect_timeout",
		"postgres://h/db?port=canary":                            "port",
		"postgres://h/db?service=canary":                         "service file",
		"postgres://h/db?default_transaction_read_only=off":      "not known",
		"postgres://h/db%00canary":                               "cannot be",
		"postgres://h/db?application_name=x&role=canary":         "not known",
		"postgres://u:canary@h/db?sslmode=disable&sslmode=allow": "twice",
	} {
		_, err := parse(dsn, "postgres:…")
		if err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error()+rows.HintOf(err), "canary") {
			t.Errorf("%s: %v, hint %q; want %q", dsn, err, rows.HintOf(err), words)
		}
	}
	target, err := parse("postgres://u:p%40ss@h:1/a%2Fb;DROP?application_name=mine&sslmode=verify-full", "x")
	if err != nil {
		t.Fatal(err)
	}
	if plus, err := parse("postgres://h/db?password=a%20b+c", "x"); err != nil || plus.config.Password != "a b+c" || plus.config.TLSConfig == nil {
		t.Errorf("blank and plus: %v", err)
	}
	c := target.config
	if c.Database != "a/b;DROP" || c.Password != "p@ss" || len(c.RuntimeParams) != 2 || c.RuntimeParams["application_name"] != program {
		t.Errorf("database %q, parameters %v", c.Database, c.RuntimeParams)
	}
}

func TestTheServerIsProvedUnlessTheURLSaysOtherwise(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct {
		tls, verified, fallback, note bool
	}{
		"postgres://far/db":                                   {true, true, false, false},
		"postgres://far/db?sslmode=verify-full":               {true, true, false, false},
		"postgres://far/db?sslmode=require":                   {true, false, false, true},
		"postgres://far/db?ssl=true":                          {true, false, false, true},
		"postgres://far/db?sslmode=verify-ca":                 {true, false, false, true},
		"postgres://far/db?sslmode=prefer":                    {true, false, true, true},
		"postgres://far/db?sslmode=disable":                   {false, false, false, true},
		"postgres://127.0.0.1/db?sslmode=disable":             {false, false, false, false},
		"postgres://localhost/db":                             {true, false, true, false},
		"postgres:///db?host=/var/run/postgresql":             {false, false, false, false},
		"postgres:///db?host=/var/run/postgresql,far&port=1,": {false, false, true, false},
	} {
		target, err := parse(query, "x")
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		c := target.config
		if (c.TLSConfig != nil) != want.tls || c.TLSConfig != nil && c.TLSConfig.InsecureSkipVerify == want.verified || (len(c.Fallbacks) > 0) != want.fallback || (len(target.notes) > 0) != want.note {
			t.Errorf("%s: TLS %t, %d fallbacks, notes %q", query, c.TLSConfig != nil, len(c.Fallbacks), target.notes)
		}
		for _, f := range c.Fallbacks {
			if f.Host == "far" && !strings.Contains(query, "prefer") && (f.TLSConfig == nil || f.TLSConfig.InsecureSkipVerify) {
				t.Errorf("%s: falls back to a server that proves nothing", query)
			}
		}
	}
}

func TestOneDatabaseHasOneKey(t *testing.T) {
	t.Parallel()
	one := Key("postgres://u:a@h/db?sslmode=disable")
	for dsn, same := range map[string]bool{
		"postgresql://u:b@h:5432/db": true, "postgres://h/db?user=u&sslmode=disable&port=5432": true, "postgres://v@h/db": false, "postgres://u@h/other": false, "postgres://u@h:1/db": false, "postgres://u@g/db": false,
	} {
		if (Key(dsn) == one) != same {
			t.Errorf("%s: %q beside %q", dsn, Key(dsn), one)
		}
	}
}

// login makes a role with a password, on a server that asks for it.
func login(t *testing.T) (host, role string) {
	t.Helper()
	c := alone(t, "")
	role = "canary_role"
	run(t, admin(t, c), "SET password_encryption = 'scram-sha-256'", "CREATE ROLE "+role+" LOGIN PASSWORD 'can''ary pass%1'", "CREATE TABLE t (id int)", "GRANT SELECT ON t TO "+role)
	hba := "local all owner trust\nlocal all all scram-sha-256\n"
	if err := os.WriteFile(filepath.Join(c.Dir, "data", "pg_hba.conf"), []byte(hba), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, admin(t, c), "SELECT pg_reload_conf()")
	reach(t, c, "SELECT 1 FROM pg_hba_file_rules WHERE auth_method = 'scram-sha-256'")
	return c.Dir, role
}

// TestEveryWayToGiveAPassword tries each with the right and a wrong one, and finds neither in what is said.
func TestEveryWayToGiveAPassword(t *testing.T) {
	host, role := login(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i, password := range []string{"can'ary pass%1", "wrong-canary"} {
		right := i == 0
		plain := "postgres://" + role + "@/postgres?host=" + url.QueryEscape(host)
		pgpass := file("pass", "localhost:5432:*:"+role+":"+password+"\n", 0o600)
		open := file("open", "localhost:5432:*:"+role+":"+password+"\n", 0o640)
		service := file("services", "[orders]\nhost="+host+"\nuser="+role+"\npassword="+password+"\n", 0o600)
		for name, tc := range map[string]struct {
			dsn    string
			env    [2]string
			refuse string
		}{
			"in the URL":            {"postgres://" + role + ":" + url.PathEscape(password) + "@/postgres?host=" + url.QueryEscape(host), [2]string{}, ""},
			"as a parameter":        {plain + "&password=" + strings.ReplaceAll(url.QueryEscape(password), "+", "%20"), [2]string{}, ""},
			"PGPASSWORD":            {plain, [2]string{"PGPASSWORD", password}, ""},
			"PGPASSFILE":            {plain, [2]string{"PGPASSFILE", pgpass}, ""},
			"passfile":              {plain + "&passfile=" + url.QueryEscape(pgpass), [2]string{}, ""},
			"PGSERVICEFILE":         {"postgres:///postgres?service=orders", [2]string{"PGSERVICEFILE", service}, ""},
			"a file open to others": {plain, [2]string{"PGPASSFILE", open}, "open to others"},
			"none":                  {plain, [2]string{}, "refused the login"},
		} {
			t.Run(fmt.Sprintf("%s %t", name, right), func(t *testing.T) {
				if tc.env[0] != "" {
					t.Setenv(tc.env[0], tc.env[1])
				}
				s, err := OpenStore(context.Background(), tc.dsn, "postgres:…")
				want := tc.refuse
				if want == "" && !right {
					want = "refused the login"
				}
				if err == nil {
					for _, n := range s.Notes() {
						silent(t, n)
					}
					_ = s.Close()
				} else {
					silent(t, err.Error())
				}
				if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || rows.HintOf(err) == "") {
					t.Errorf("%v, want %q", err, want)
				}
			})
		}
	}
}

// TestTheEnvironmentChangesNothingOnTheServer: what libpq would send along is not sent.
func TestTheEnvironmentChangesNothingOnTheServer(t *testing.T) {
	schema, role, conn := database(t, "CREATE TABLE t (id float8, at timestamptz)", "INSERT INTO t VALUES (0.1, '2026-11-29 06:00Z')")
	run(t, conn, "ALTER ROLE "+role+" SET search_path = "+schema, "ALTER ROLE "+role+" SET extra_float_digits = -15", "CREATE FUNCTION "+schema+".octet_length(text) RETURNS int LANGUAGE sql AS 'SELECT 1/0'")
	t.Setenv("PGOPTIONS", "-c DateStyle=German -c statement_timeout=1")
	t.Setenv("PGTZ", "Asia/Tokyo")
	t.Setenv("PGAPPNAME", "canary")
	s := opened(t, cluster(t).DSN(role, "postgres"))
	table, err := s.Query(context.Background(), "SELECT * FROM "+schema+".t", nil)
	if lines, _, _ := dump(t, bound(t, table, err, pathsOf("id", "at")...)); len(lines) != 1 || lines[0] != `3:"0.1" 5:"2026-11-29T06:00:00Z"` {
		t.Errorf("%v", lines)
	}
	row, err := s.hold.one(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE usename = current_user AND application_name = '"+program+"'")
	if err != nil || row[0] != "2" {
		t.Errorf("sessions of idemctl: %v, %v", row, err)
	}
}
