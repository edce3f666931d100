package postgres

import (
	"context"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// proxy stands between a client and a server's socket, and cuts after a number of bytes that the server sent over all connections.
type proxy struct {
	listener net.Listener
	socket   string
	all      bool // cut every connection, and accept none any more; else only the one that carries that byte

	mu    sync.Mutex
	sent  int64
	cutAt int64 // 0 = never
	conns []net.Conn
	wait  sync.WaitGroup
}

func newProxy(t testing.TB, socket string, cutAt int64, all bool) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, socket: socket, cutAt: cutAt, all: all}
	p.wait.Go(p.accept)
	t.Cleanup(p.stop)
	return p
}

func (p *proxy) dsn(role string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Host: p.listener.Addr().String(), Path: "/postgres"}
	return u.String()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.socket)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.wait.Go(func() { p.pass(server, client, false) })
		p.wait.Go(func() { p.pass(client, server, true) })
	}
}

// pass carries bytes one way.
func (p *proxy) pass(to, from net.Conn, counted bool) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if counted {
			var cut bool
			if n, cut = p.count(n); cut {
				_, _ = to.Write(buf[:n])
				if p.all {
					p.cutAll()
				}
				return
			}
		}
		if _, failed := to.Write(buf[:n]); failed != nil || err != nil {
			return
		}
	}
}

// count says how many of n more bytes may pass, and whether the cut comes then.
func (p *proxy) count(n int) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.sent
	p.sent += int64(n)
	if p.cutAt == 0 || before >= p.cutAt && !p.all || p.sent < p.cutAt {
		return n, false
	}
	return int(max(0, p.cutAt-before)), true
}

func (p *proxy) cutAll() {
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) stop() {
	p.cutAll()
	p.wait.Wait()
}

func (p *proxy) total() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

const (
	cutRows   = 4000
	cutPlaces = 34 // of three stores, in two ways: 204
)

// cutStore makes what is read while the connection is cut: a table in several parts and a view.
func cutStore(t *testing.T) (schema, role string) {
	t.Helper()
	schema, role, conn := database(t, "CREATE TABLE t (id int PRIMARY KEY, body text)", "CREATE VIEW v AS SELECT * FROM t ORDER BY id",
		"CREATE TABLE p (id int, body text) PARTITION BY RANGE (id)", "CREATE TABLE low PARTITION OF p FOR VALUES FROM (0) TO (2000)", "CREATE TABLE high PARTITION OF p FOR VALUES FROM (2000) TO (5000)")
	run(t, conn, "INSERT INTO t SELECT i, repeat('x', 20) FROM generate_series(1, "+sprint(cutRows)+") i", "INSERT INTO p SELECT * FROM t", "ANALYZE")
	return schema, role
}

// readThrough opens a table over a connection that may be cut, and counts the distinct rows it hands over.
func readThrough(t *testing.T, dsn, name string) (n int, complete bool) {
	t.Helper()
	target, err := parse(dsn, "postgres://db")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s, err := opener{target: target, large: 4, part: 8}.open(ctx)
	if err != nil {
		return 0, false
	}
	defer func() { _ = s.Close() }()
	table, err := s.Table(ctx, name)
	if err != nil {
		return 0, false
	}
	bound(t, table, nil, pathsOf("id")...)
	seen := map[int64]bool{}
	ext, err := table.Scan(ctx, collect(t, seen), nil)
	if err != nil && (ext.Complete || ext.Reason == "" || ext.Hint == "") {
		t.Errorf("%s: %+v, %v", name, ext, err)
	}
	return len(seen), ext.Complete
}

// TestNoCutIsTakenForTheEnd cuts the connection at 200 places: one connection only, which is replaced in the same snapshot, or the whole network for good.
func TestNoCutIsTakenForTheEnd(t *testing.T) {
	t.Parallel()
	schema, role := cutStore(t)
	for _, name := range []string{"t", "v", "p"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := newProxy(t, cluster(t).Socket(), 0, false)
			if n, complete := readThrough(t, whole.dsn(role), schema+"."+name); n != cutRows || !complete {
				t.Fatalf("%d rows, complete %t without a cut", n, complete)
			}
			cutEverywhere(t, role, schema+"."+name, whole.total(), false)
			cutEverywhere(t, role, schema+"."+name, whole.total(), true)
		})
	}
}

// cutEverywhere reads a table over connections that are cut at ever later places.
func cutEverywhere(t *testing.T, role, name string, total int64, all bool) {
	t.Helper()
	resumed, stopped := 0, 0
	for i := range int64(cutPlaces) {
		at := 1 + i*total/cutPlaces
		n, complete := readThrough(t, newProxy(t, cluster(t).Socket(), at, all).dsn(role), name)
		switch {
		case complete && n == cutRows:
			resumed++
		case complete:
			t.Errorf("cut at %d of %d: complete after %d rows", at, total, n)
		default:
			stopped++
		}
	}
	view := strings.HasSuffix(name, ".v") // a cursor ends with its connection
	if stopped == 0 || all && resumed > 1 || !all && !view && resumed == 0 {
		t.Errorf("all %t: %d resumed, %d stopped", all, resumed, stopped)
	}
}
