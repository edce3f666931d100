package postgres

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// TestServersThatProveNothing are not believed: one with a certificate of its own, one that speaks no TLS, one that never answers.
func TestServersThatProveNothing(t *testing.T) {
	t.Parallel()
	own := httptest.NewTLSServer(nil)
	t.Cleanup(own.Close)
	for name, tc := range map[string]struct {
		serve func(net.Conn)
		words string
	}{
		"a certificate of its own": {func(c net.Conn) {
			if _, err := c.Write([]byte("S")); err == nil {
				_ = tls.Server(c, own.TLS).Handshake()
			}
		}, "certificate proves nothing"},
		"no TLS":    {func(c net.Conn) { _, _ = c.Write([]byte("N")) }, "speaks no TLS"},
		"no answer": {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, "no answer in time"},
		"rubbish":   {func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }, "postgres:…"},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				if _, err := io.ReadFull(c, make([]byte, 8)); err == nil { // the client asks for TLS
					tc.serve(c)
				}
				_ = c.Close()
			}
		}()
		_, err = OpenStore(context.Background(), "postgres://canary-user:canary-pass@"+l.Addr().String()+"/db?sslmode=verify-full&connect_timeout=1", "postgres:…")
		if err == nil || !strings.Contains(err.Error(), tc.words) || rows.HintOf(err) == "" {
			t.Errorf("%s: %v, hint %q", name, err, rows.HintOf(err))
			continue
		}
		silent(t, err.Error()+rows.HintOf(err))
	}
}
