package audit

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Operator is who acts, as the operating system knows it.
type Operator struct {
	Name     string // of the account that the process runs as; uid:N where /etc/passwd does not name it
	UID      int64
	LoginUID int64  // who logged in, kept through su and sudo; noLoginUID where nobody did
	SudoUser string // a hint only: it is a variable
	Host     string
	TTY      string
	SSH      string // from where, as sshd says
	Machine  string // this machine's id, as a digest that is of no use elsewhere
}

// noLoginUID is the kernel's word for "unset".
const noLoginUID = 1<<32 - 1

// Self returns the operator that this process acts for. The name is never taken from $USER, a flag or a config.
func Self() (Operator, error) {
	uid := os.Getuid()
	name, err := accountName("/etc/passwd", uid)
	if err != nil {
		return Operator{}, fmt.Errorf("finding out who runs idemctl: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return Operator{}, fmt.Errorf("finding out who runs idemctl: %w", err)
	}
	o := Operator{Name: name, UID: int64(uid), LoginUID: loginUID("/proc/self/loginuid"), SudoUser: valid(os.Getenv("SUDO_USER")), Host: valid(host), SSH: valid(os.Getenv("SSH_CONNECTION"))}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		tty, err := os.Readlink("/proc/self/fd/0")
		if err == nil {
			o.TTY = valid(tty)
		}
	}
	if id, err := os.ReadFile("/etc/machine-id"); err == nil {
		o.Machine = machine(id)
	}
	return o, nil
}

// accountName looks uid up itself, as os/user falls back to $USER where the file does not name it.
func accountName(passwd string, uid int) (string, error) {
	f, err := os.Open(passwd)
	if os.IsNotExist(err) {
		return "uid:" + strconv.Itoa(uid), nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(io.LimitReader(f, 64<<20))
	for lines.Scan() {
		part := strings.Split(lines.Text(), ":")
		if len(part) >= 3 && part[2] == strconv.Itoa(uid) && part[0] != "" && valid(part[0]) == part[0] {
			return part[0], nil
		}
	}
	return "uid:" + strconv.Itoa(uid), lines.Err()
}

func loginUID(path string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return noLoginUID
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 32)
	if err != nil {
		return noLoginUID
	}
	return int64(n)
}

// machine derives from the machine's id, which is not to be shown, a name that only this program gives it.
func machine(id []byte) string {
	h := hmac.New(sha256.New, []byte(strings.TrimSpace(string(id))))
	h.Write([]byte("idemctl-machine-v1"))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// valid keeps what is UTF-8: a record can hold nothing else, and a host that calls itself otherwise must not stop it.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func (o *Operator) auth() auth {
	return auth{
		method: "process", uid: o.UID, loginUID: o.LoginUID, sudoUser: o.SudoUser, host: o.Host, tty: o.TTY, ssh: o.SSH, where: o.Machine,
	}
}
