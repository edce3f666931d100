package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// wire is what passed over one connection, both ways.
type wire struct{ sent, received bytes.Buffer }

// tapped lets connections through to the server and keeps what passes. done waits until they have ended.
func tapped(t *testing.T) (address string, done func() []*wire) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all []*wire
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", cluster(t).Socket())
			if err != nil {
				t.Error(err)
				_ = client.Close()
				return
			}
			w := &wire{}
			all = append(all, w)
			carry := func(to, from net.Conn, note io.Writer) {
				_, _ = io.Copy(io.MultiWriter(to, note), from)
				_, _ = to.Close(), from.Close()
			}
			running.Go(func() { carry(server, client, &w.sent) })
			running.Go(func() { carry(client, server, &w.received) })
		}
	})
	return l.Addr().String(), func() []*wire {
		_ = l.Close()
		running.Wait()
		return all
	}
}

// messages takes a stream of typed messages apart.
func messages(b []byte, each func(kind byte, body []byte)) {
	for len(b) >= 5 {
		n := int(binary.BigEndian.Uint32(b[1:])) + 1
		if n > len(b) {
			return // cut by a cancel
		}
		each(b[0], b[5:n])
		b = b[n:]
	}
}

// startup reads the message that opens a connection, and returns its parameters and what follows.
func startup(b []byte) (parameters map[string]string, rest []byte) {
	n := binary.BigEndian.Uint32(b)
	words := strings.Split(strings.TrimRight(string(b[8:n]), "\x00"), "\x00")
	parameters = map[string]string{}
	for pair := range slices.Chunk(words, 2) {
		parameters[pair[0]] = pair[len(pair)-1]
	}
	return parameters, b[n:]
}

// TestAPoolerCanLendItsConnections by the transaction, as PgBouncer does: a session asks for nothing when it begins that a pooler refuses, sends no statement
// that has a name and none outside of a transaction. The session that takes the snapshot looks around in one before, the others have theirs only: there is
// nothing that they left on a connection and could miss on the next.
func TestAPoolerCanLendItsConnections(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (id int PRIMARY KEY, body text)", "CREATE VIEW v AS SELECT * FROM t")
	run(t, conn, "INSERT INTO t SELECT i, repeat('x', 20) FROM generate_series(1, 5000) i", "ANALYZE")
	address, done := tapped(t)
	target, err := parse("postgres://"+url.PathEscape(role)+"@"+address+"/postgres?sslmode=disable", "postgres://db")
	if err != nil {
		t.Fatal(err)
	}
	s, err := opener{target: target, large: 4, part: 8}.open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"t", "v"} {
		table, err := s.Table(context.Background(), schema+"."+name)
		lines, at, ext := dump(t, bound(t, table, err, pathsOf("id")...))
		if len(lines) != 5000 || !ext.Complete {
			t.Errorf("%s: %d rows, %+v", name, len(lines), ext)
		}
		if err := table.Fetch(context.Background(), at[100:200], func(rows.Pos, string, []rows.Cell, []rows.Named) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	sessions := done()
	if len(sessions) < 4 {
		t.Errorf("%d sessions: one that holds the snapshot, one for each source, a second for the large table", len(sessions))
	}
	for _, w := range sessions {
		parameters, rest := startup(w.sent.Bytes())
		for name := range parameters {
			if name != "user" && name != "database" && name != "application_name" && name != "client_encoding" {
				t.Errorf("it begins with %s, which a pooler may refuse", name)
			}
		}
		statements := 0
		messages(rest, func(kind byte, body []byte) {
			switch kind {
			case 'P', 'D', 'C': // Parse, Describe, Close: a name follows, for the latter two behind what is meant
				if name := strings.TrimLeft(string(body[:min(2, len(body))]), "SP"); kind != 'P' && name != "\x00" || kind == 'P' && body[0] != 0 {
					t.Errorf("%c: a statement or portal with a name: %q", kind, body)
				}
				statements++
			case 'B': // the portal's name, then the statement's
				if body[0] != 0 || body[1] != 0 {
					t.Errorf("a portal or statement with a name: %q", body)
				}
			}
		})
		if statements == 0 {
			t.Error("no statement at all was seen")
		}
		var states []byte
		messages(w.received.Bytes(), func(kind byte, body []byte) {
			if kind == 'Z' {
				states = append(states, body[0])
			}
		})
		if len(states) < 3 || states[0] != 'I' || bytes.Contains(states, []byte("II")) || bytes.ContainsAny(states, "E") || bytes.Count(states, []byte("I")) > 2 {
			t.Errorf("a statement outside of a transaction, or one too many: %q", states)
		}
	}
}
