package sqlite

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childPath names the database that a re-run of this test binary writes, as another process would: locks that one process holds do not bind itself.
const childPath = "SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		if err := serve(path); err != nil {
			panic(err)
		}
		return
	}
	if path := os.Getenv(readerPath); path != "" {
		readAs(path)
		return
	}
	m.Run()
}

// serve executes the statements that come in, one a line, and answers each.
func serve(path string) error {
	db, err := sql.Open("sqlite", fileURI(path, "mode=rwc"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		answer := "ok"
		if _, err := db.Exec(in.Text()); err != nil {
			answer = err.Error()
		}
		if _, err := fmt.Fprintln(os.Stdout, answer); err != nil {
			return err
		}
	}
	return db.Close()
}

// child is a writer in a process of its own.
type child struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startChild(t testing.TB, path string, statements ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childPath+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: cmd, in: in, out: bufio.NewReader(out)}
	t.Cleanup(c.kill)
	c.exec(statements...)
	return c
}

func (c *child) exec(statements ...string) {
	c.t.Helper()
	for _, s := range statements {
		if answer := c.try(s); answer != "ok" {
			c.t.Fatalf("%s: %s", s, answer)
		}
	}
}

func (c *child) try(statement string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.ReplaceAll(statement, "\n", " ")+"\n"); err != nil {
		c.t.Fatal(err)
	}
	answer, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// kill ends the process as a crash does; what it had open stays as it was.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}
