package postgres

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
)

// authority is who signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(t.TempDir(), "ca.pem")}
	der, key := a.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: "an authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a.cert, a.key = cert, key
	if err := os.WriteFile(a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// sign makes a certificate and its key; an authority that has none signs its own.
func (a *authority) sign(t *testing.T, c *x509.Certificate) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(1), time.Now().Add(-time.Hour), time.Now().Add(time.Hour) // the driver has a clock of its own
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	return der, key
}

// server starts a cluster whose certificate names localhost.
func (a *authority) server(t *testing.T) *pgtest.Cluster {
	t.Helper()
	der, key := a.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: "a server"}, DNSNames: []string{"localhost"}})
	pkcs, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := pgtest.StartTLS(context.Background(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestAServerThatShowsACertificate is believed when the right authority signed it for the name that was asked for; then every session is encrypted.
func TestAServerThatShowsACertificate(t *testing.T) {
	t.Parallel()
	right, wrong := newAuthority(t), newAuthority(t)
	c := right.server(t)
	run(t, admin(t, c), "CREATE TABLE t (id int)", "INSERT INTO t SELECT generate_series(1, 20000)", "ANALYZE")
	for name, tc := range map[string]struct {
		host, parameters string
		refused          string
	}{
		"verify-full":                   {"localhost", "sslmode=verify-full&sslrootcert=" + url.QueryEscape(right.file), ""},
		"verify-full, another name":     {"127.0.0.1", "sslmode=verify-full&sslrootcert=" + url.QueryEscape(right.file), "certificate proves nothing"},
		"verify-full, wrong authority":  {"localhost", "sslmode=verify-full&sslrootcert=" + url.QueryEscape(wrong.file), "certificate proves nothing"},
		"verify-full, the system's":     {"localhost", "sslmode=verify-full", "certificate proves nothing"},
		"verify-ca, another name":       {"127.0.0.1", "sslmode=verify-ca&sslrootcert=" + url.QueryEscape(right.file), ""},
		"verify-ca, wrong authority":    {"127.0.0.1", "sslmode=verify-ca&sslrootcert=" + url.QueryEscape(wrong.file), "certificate proves nothing"},
		"require":                       {"127.0.0.1", "sslmode=require", ""},
		"a loopback address, as it is":  {"127.0.0.1", "", ""},
		"none, to who wants it":         {"127.0.0.1", "sslmode=disable", "refused the login"},
		"the second host":               {"127.0.0.1:1,localhost:" + strconv.Itoa(c.Port), "sslmode=verify-full&sslrootcert=" + url.QueryEscape(right.file), ""},
		"the second host, another name": {"localhost:1,127.0.0.1:" + strconv.Itoa(c.Port), "sslmode=verify-full&sslrootcert=" + url.QueryEscape(right.file), "proves nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := tc.host
			if !strings.Contains(host, ":") {
				host += ":" + strconv.Itoa(c.Port)
			}
			target, err := parse("postgres://"+pgtest.User+"@"+host+"/postgres?"+tc.parameters, "postgres:…")
			if err != nil {
				t.Fatal(err)
			}
			s, err := opener{target: target, large: 4, part: 8}.open(context.Background())
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) || rows.HintOf(err) == "" {
					t.Errorf("%v, hint %q; want %q", err, rows.HintOf(err), tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			table, err := s.Table(context.Background(), "t")
			if lines, _, ext := dump(t, bound(t, table, err, pathsOf("id")...)); len(lines) != 20000 || !ext.Complete {
				t.Errorf("%d rows, %+v", len(lines), ext)
			}
			row, err := s.hold.one(context.Background(), "SELECT count(*), count(*) FILTER (WHERE ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE client_port = ANY ("+ports(s)+")")
			if err != nil || row[0] != row[1] || row[0] == "0" {
				t.Errorf("sessions and encrypted ones: %v, %v", row, err)
			}
		})
	}
}

// ports lists the ports of a store's sessions as an array of the server's.
func ports(s *Store) string {
	sessions := []*session{s.hold}
	for _, t := range s.tables {
		sessions = append(sessions, t.reader, t.second)
	}
	var out []string
	for _, one := range sessions {
		if one.alive() {
			_, port, _ := strings.Cut(one.conn.Conn().LocalAddr().String(), ":")
			out = append(out, port)
		}
	}
	return fmt.Sprintf("ARRAY[%s]", strings.Join(out, ","))
}

// TestTwoServersAreNotOne: where the hosts of a URL are different servers, the second connection cannot share the first one's snapshot, and the table is
// refused.
func TestTwoServersAreNotOne(t *testing.T) {
	t.Parallel()
	one, other := alone(t, ""), alone(t, "")
	for _, c := range []*pgtest.Cluster{one, other} {
		run(t, admin(t, c), "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)")
	}
	var first *pgtest.Proxy
	opened := make(chan struct{})
	first, err := one.NewGate(0, func() { <-opened; first.Shut() })
	if err != nil {
		t.Fatal(err)
	}
	close(opened)
	second, err := other.NewGate(0, func() {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = first.Close(), second.Close() })
	var hosts, addresses []string
	for _, p := range []*pgtest.Proxy{first, second} {
		host, port := p.Address()
		hosts, addresses = append(hosts, host), append(addresses, port)
	}
	s, err := OpenStore(context.Background(), "postgres://"+pgtest.User+"@/postgres?sslmode=disable&host="+strings.Join(hosts, ",")+"&port="+strings.Join(addresses, ","), "postgres:…")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Table(context.Background(), "t"); err == nil || !strings.Contains(rows.HintOf(err), "name one host") {
		t.Errorf("%v, hint %q", err, rows.HintOf(err))
	}
}
