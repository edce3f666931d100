// Package pgtest starts throw-away PostgreSQL servers for tests.
//
// A Cluster lives in a temporary folder, listens on a unix socket in it and on no port (but see StartTLS), forgets its data when it stops, and runs as an unprivileged user,
// also where the tests run as root. It ends with the process that started it, whatever happens to that. The server's programs must be installed; the
// repository's ./test does that, and the system's own clusters are neither used nor started.
package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// User is the superuser of every cluster.
const User = "owner"

// Cluster is a running server.
type Cluster struct {
	Dir  string // its socket and its data; removed by Stop
	Port int    // on the loopback address, 0 = none

	bin    string
	as     *syscall.SysProcAttr
	server *exec.Cmd
	log    *os.File
}

// settings make a server fast, and small enough to stand beside others.
const settings = `
listen_addresses = ''
unix_socket_permissions = 0777
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
shared_buffers = 32MB
max_connections = 400
max_prepared_transactions = 10
wal_level = replica
hot_standby = on
timezone = 'UTC'
log_min_messages = fatal
`

// Quiet makes a server write nothing to its log but what somebody changes: else it notes from time to time, for standbys, which transactions run.
const Quiet = "wal_level = minimal\nmax_wal_senders = 0\n"

const startWithin = time.Minute

// Start makes a cluster and starts it. extra is added to its postgresql.conf.
func Start(ctx context.Context, extra string) (*Cluster, error) {
	c, err := prepare()
	if err != nil {
		return nil, err
	}
	return c.start(ctx, extra)
}

func (c *Cluster) start(ctx context.Context, extra string) (*Cluster, error) {
	err := c.run(ctx, "initdb", "-D", c.data(), "-U", User, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	if err == nil {
		err = c.configure(settings + extra)
	}
	if err == nil {
		err = c.launch(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// Standby makes a cluster that follows c.
func (c *Cluster) Standby(ctx context.Context, extra string) (*Cluster, error) {
	s, err := prepare()
	if err != nil {
		return nil, err
	}
	err = s.run(ctx, "pg_basebackup", "-D", s.data(), "-h", c.Dir, "-U", User, "-R", "-c", "fast", "--no-sync")
	if err == nil {
		err = s.configure(extra)
	}
	if err == nil {
		err = s.launch(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// prepare makes the folder, owned by the user that the server runs as.
func prepare() (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg") // short: the path of a socket may have 107 bytes
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir, bin: bin, as: as}
	if id := as.Credential; id != nil {
		err = os.Chown(dir, int(id.Uid), int(id.Gid))
	}
	if err == nil {
		err = os.Chmod(dir, 0o755) // a server of another user puts its socket there
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

func (c *Cluster) data() string { return filepath.Join(c.Dir, "data") }

// programs finds the folder of the server's programs, the newest where there are several.
func programs() (string, error) {
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	version := func(dir string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))) // what is no number is no version
		return n
	}
	slices.SortFunc(dirs, func(a, b string) int { return version(b) - version(a) })
	if path, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("no PostgreSQL server is installed; ./test installs it, or type: sudo apt-get install postgresql")
}

// unprivileged is how the server is started: as this user, or as another one where this is root, whom the server refuses. It gets a signal when the process
// that started it ends.
func unprivileged() (*syscall.SysProcAttr, error) {
	as := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() != 0 {
		return as, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return as, nil
	}
	return nil, errors.New("no unprivileged user to run PostgreSQL as: neither postgres nor nobody exists")
}

// command is one of the server's programs, run as the server's user.
func (c *Cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, name), args...) // a program of the installed server
	attr := *c.as
	cmd.SysProcAttr = &attr
	cmd.Dir = c.Dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	return cmd
}

func (c *Cluster) run(ctx context.Context, name string, args ...string) error {
	out, err := c.command(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return nil
}

func (c *Cluster) configure(text string) error {
	f, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\nunix_socket_directories = '" + c.Dir + "'\n")
	return errors.Join(err, f.Close())
}

// launch starts the server and waits until it answers.
func (c *Cluster) launch(ctx context.Context) (err error) {
	if c.log, err = os.Create(filepath.Join(c.Dir, "log")); err != nil {
		return err
	}
	c.server = c.command(context.WithoutCancel(ctx), "postgres", "-D", c.data())
	c.server.Stdout, c.server.Stderr = c.log, c.log
	if err := c.server.Start(); err != nil {
		return err
	}
	limit, stop := context.WithTimeout(ctx, startWithin)
	defer stop()
	for {
		conn, err := c.Connect(limit, "postgres")
		if err == nil {
			return conn.Close(ctx)
		}
		if limit.Err() != nil {
			text, _ := os.ReadFile(c.log.Name())
			return fmt.Errorf("the server does not answer: %w: %s", err, text)
		}
		wait, wake := context.WithTimeout(limit, 20*time.Millisecond)
		<-wait.Done()
		wake()
	}
}

// halt ends the server at once; its data stay. A smart or fast shutdown would wait for others.
func (c *Cluster) halt(signal os.Signal) error {
	if c.server == nil {
		return nil
	}
	err := c.server.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	_ = c.server.Wait() // its exit code tells of the signal
	c.server = nil
	return errors.Join(err, c.log.Close())
}

// Restart stops the server as an administrator would in a hurry, and starts it again.
func (c *Cluster) Restart(ctx context.Context) error {
	if err := c.halt(os.Interrupt); err != nil {
		return err
	}
	return c.launch(ctx)
}

// Halt stops the server and keeps its data until Stop.
func (c *Cluster) Halt() error { return c.halt(os.Interrupt) }

// Stop ends the server and removes all it wrote.
func (c *Cluster) Stop() error {
	err := c.halt(syscall.SIGQUIT)
	removed := os.RemoveAll(c.Dir)
	if errors.Is(removed, fs.ErrNotExist) {
		removed = nil
	}
	return errors.Join(err, removed)
}

// DSN is the connection URL of a user to a database.
func (c *Cluster) DSN(user, database string) string {
	where := url.Values{"host": {c.Dir}}
	if c.Port != 0 {
		where.Set("port", strconv.Itoa(c.Port))
	}
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: where.Encode()}
	return u.String()
}

// Socket is the path of the unix socket.
func (c *Cluster) Socket() string {
	return filepath.Join(c.Dir, ".s.PGSQL."+strconv.Itoa(cmp.Or(c.Port, 5432)))
}

// Connect opens a plain connection of the superuser.
func (c *Cluster) Connect(ctx context.Context, database string) (*pgconn.PgConn, error) {
	return pgconn.Connect(ctx, c.DSN(User, database))
}

// Exec runs statements as the superuser.
func (c *Cluster) Exec(ctx context.Context, database, sql string) error {
	conn, err := c.Connect(ctx, database)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

// CPU is the processor time that the server and all its sessions that have ended took since it was started.
func (c *Cluster) CPU() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.server.Process.Pid))
	if err != nil {
		return 0, err
	}
	const tick = 10 * time.Millisecond // what Linux counts in
	_, rest, _ := bytes.Cut(text, []byte(") "))
	fields := bytes.Fields(rest)
	var sum int64
	for _, i := range []int{11, 12, 13, 14} { // its own time in user and system mode, and that of children that it has waited for
		if i >= len(fields) {
			return 0, errors.New("the kernel tells no processor time")
		}
		n, err := strconv.ParseInt(string(fields[i]), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return time.Duration(sum) * tick, nil
}
