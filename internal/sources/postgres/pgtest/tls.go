package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// StartTLS makes and starts a cluster that listens on a port of the loopback address too, where it takes nobody without TLS. certificate and key are what
// it shows, in PEM.
func StartTLS(ctx context.Context, certificate, key []byte) (*Cluster, error) {
	c, err := prepare()
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{"server.crt": certificate, "server.key": key, "hba": []byte("local all all trust\nhostssl all all all trust\n")} {
		path := filepath.Join(c.Dir, name)
		err = errors.Join(err, os.WriteFile(path, content, 0o600))
		if id := c.as.Credential; id != nil {
			err = errors.Join(err, os.Chown(path, int(id.Uid), int(id.Gid)))
		}
	}
	if err == nil {
		c.Port, err = freePort()
	}
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c.start(ctx, fmt.Sprintf("port = %d\nlisten_addresses = '127.0.0.1'\nssl = on\nssl_cert_file = '%[2]s/server.crt'\nssl_key_file = '%[2]s/server.key'\nhba_file = '%[2]s/hba'\n", c.Port, c.Dir))
}

// freePort is a port that was free a moment ago.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return 0, errors.Join(err, l.Close())
	}
	n, err := strconv.Atoi(port)
	return n, errors.Join(err, l.Close())
}
