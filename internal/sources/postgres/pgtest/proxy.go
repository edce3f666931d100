package pgtest

import (
	"errors"
	"net"
	"net/url"
	"sync"
)

// Proxy stands between clients on a loopback address and a server's socket, and cuts after a number of bytes that the server sent over all connections.
type Proxy struct {
	listener net.Listener
	socket   string
	cutAt    int64
	all      bool
	hookAt   int64
	hook     func()
	once     sync.Once

	mu    sync.Mutex
	sent  int64
	conns []net.Conn
	wait  sync.WaitGroup
}

// NewProxy starts a proxy that cuts after cutAt bytes, 0 for never: only the connection that carries that byte, or all of them, and then lets none in.
func (c *Cluster) NewProxy(cutAt int64, all bool) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, socket: c.Socket(), cutAt: cutAt, all: all}
	p.wait.Go(p.accept)
	return p, nil
}

// NewGate starts a proxy that cuts nothing, and does something once: before it lets the first connection through where at is 0, else before the server's
// byte at passes.
func (c *Cluster) NewGate(at int64, do func()) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, socket: c.Socket(), hookAt: at, hook: do}
	p.wait.Go(p.accept)
	return p, nil
}

// pass does what is to be done when so many bytes were sent.
func (p *Proxy) pass(sent int64) {
	if p.hook != nil && sent >= p.hookAt {
		p.once.Do(p.hook)
	}
}

// DSN leads through the proxy.
func (p *Proxy) DSN(user, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Host: p.listener.Addr().String(), Path: "/" + database}
	return u.String()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.pass(0)
		server, err := net.Dial("unix", p.socket)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.wait.Go(func() { p.carry(server, client, false) })
		p.wait.Go(func() { p.carry(client, server, true) })
	}
}

// carry brings bytes one way until that ends.
func (p *Proxy) carry(to, from net.Conn, counted bool) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if counted {
			pass, cut := p.count(n)
			p.pass(p.Sent())
			if cut {
				_, _ = to.Write(buf[:pass])
				if p.all {
					p.cut()
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
func (p *Proxy) count(n int) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.sent
	p.sent += int64(n)
	if p.cutAt == 0 || before >= p.cutAt && !p.all || p.sent < p.cutAt {
		return n, false
	}
	return int(max(0, p.cutAt-before)), true
}

func (p *Proxy) cut() {
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

// Shut lets no more connections in; those that stand go on.
func (p *Proxy) Shut() { _ = p.listener.Close() }

// Address is where the proxy listens, host and port.
func (p *Proxy) Address() (host, port string) {
	host, port, _ = net.SplitHostPort(p.listener.Addr().String()) // its own address has both
	return host, port
}

// Sent is how many bytes the server has sent so far.
func (p *Proxy) Sent() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

// Close ends all connections and waits until nothing of the proxy runs.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	p.cut()
	p.wait.Wait()
	return err
}
