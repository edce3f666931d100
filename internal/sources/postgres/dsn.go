package postgres

import (
	"cmp"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgservicefile"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"example.com/idemctl/internal/spelling"
)

const (
	// maxRow is the longest message that is taken from the server, in bytes: one row with all its values.
	maxRow = 64 << 20
	// connectWithin is how long one host may take to answer, where the URL does not say.
	connectWithin = 10 * time.Second

	program = "idemctl" // what the server's list of sessions shows

	hintURL = "write postgres://USER@HOST/DATABASE; in a user or password, % is %25, @ is %40, / is %2F, : is %3A, ? is %3F, # is %23; or leave the password to PGPASSFILE"
)

// allowed are the parameters that a URL may carry. What changes how the server computes, such as options or search_path, is set by this package alone.
var allowed = []string{
	"host", "port", "user", "password", "dbname", "database", "passfile", "service", "connect_timeout", "target_session_attrs", "application_name",
	"ssl", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslcertmode", "sslsni", "sslnegotiation", "channel_binding", "require_auth",
	"min_protocol_version", "max_protocol_version",
}

// target is a server to connect to. It is never printed: its config holds the password.
type target struct {
	config  *pgconn.Config
	shown   string   // what may be printed of it
	secrets []string // what may not
	notes   []string
	standby bool // what the connections reached replays another server's log
}

// parse reads a connection URL with all that libpq would add to it: the service file, the password file, the environment. No error of it repeats a part of
// the URL, whose pieces may be a password in the wrong place.
func parse(dsn, shown string) (*target, error) {
	u, parameters, err := plainURL(dsn, shown)
	if err != nil {
		return nil, err
	}
	s := settings{url: parameters, service: map[string]string{}}
	if err := s.readService(shown); err != nil {
		return nil, err
	}
	config, err := understood(u, shown)
	if err != nil {
		return nil, err
	}
	t := &target{shown: shown}
	mode := s.look("sslmode", "PGSSLMODE")
	if s.url.Get("ssl") != "" {
		mode = cmp.Or(s.url.Get("sslmode"), "require") // ssl=true, as Java writes it
	}
	remote := remotes(config)
	switch {
	case len(remote) > 0 && mode == "":
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&sslmode=verify-full", "&")
		if config, err = understood(u, shown); err != nil {
			return nil, err
		}
	case len(remote) > 0 && mode != "verify-full" && s.look("sslrootcert", "PGSSLROOTCERT") != "system":
		t.notes = append(t.notes, "sslmode="+mode+" for "+strings.Join(remote, ", ")+": nothing proves that the answers come from that server; verify-full does")
	}
	if err := s.guardPassfile(u, config, shown); err != nil {
		return nil, err
	}
	t.secrets = secretsOf(config.Password, s.look("sslpassword", "PGSSLPASSWORD"))
	t.config = hardened(config)
	return t, nil
}

// plainURL takes a URL and its parameters apart and refuses what is ambiguous.
func plainURL(dsn, shown string) (*url.URL, url.Values, error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Opaque != "" || !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return nil, nil, hinted(hintURL, "%s: the connection URL cannot be read", shown)
	}
	if u.Fragment != "" || strings.ContainsAny(u.EscapedPath(), "@:") || strings.Contains(u.RawQuery, "@") {
		return nil, nil, hinted(hintURL, "%s: the connection URL holds a reserved character that is not encoded", shown)
	}
	q, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, "+", "%2B")) // a plus is no blank to libpq
	if err != nil {
		return nil, nil, hinted(hintURL, "%s: the parameters of the connection URL cannot be read", shown)
	}
	for key, values := range q {
		switch {
		case key == "options" || key == "search_path" || key == "servicefile":
			return nil, nil, hinted("take it out: idemctl settles how the server reads for it", "%s: the connection URL may not set %s", shown, key)
		case !slices.Contains(allowed, key):
			hint := "the parameters are those of libpq that say where to connect and who"
			if near := spelling.Meant(key, allowed); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, nil, hinted(hint, "%s: the connection URL has a parameter that is not known", shown)
		case key == "ssl" && values[0] != "true":
			return nil, nil, hinted("write sslmode=verify-full", "%s: ssl is true or nothing", shown)
		case len(values) > 1:
			return nil, nil, hinted("keep one of them", "%s: the connection URL gives %s twice", shown, key)
		}
	}
	return u, q, nil
}

// understood asks the driver to read the URL. Its errors quote what it read, so its words are replaced.
func understood(u *url.URL, shown string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfigWithOptions(u.String(), pgconn.ParseConfigOptions{ConnStringAllowedKeys: allowed})
	if err == nil {
		return config, nil
	}
	for _, known := range []struct{ sign, words, hint string }{
		{"configure TLS", "a certificate or key of the connection cannot be read", "look at sslrootcert, sslcert, sslkey, sslmode and the files that they name"},
		{"invalid port", "the port is no number", hintURL},
		{"target_session_attrs", "target_session_attrs is not one that is known", "use any, read-only, read-write, primary, standby or prefer-standby"},
		{"connect_timeout", "connect_timeout is no number of seconds", ""},
	} {
		if strings.Contains(err.Error(), known.sign) {
			return nil, hinted(known.hint, "%s: %s", shown, known.words)
		}
	}
	return nil, hinted(hintURL, "%s: the connection settings cannot be understood", shown)
}

// settings is where a connection's parameters come from, in the order of libpq: the URL, the service, the environment.
type settings struct {
	url     url.Values
	service map[string]string
}

// look finds a parameter, "" where nobody gives it.
func (s *settings) look(key, env string) string {
	return cmp.Or(s.url.Get(key), s.service[key], os.Getenv(env))
}

func (s *settings) readService(shown string) error {
	name := cmp.Or(s.url.Get("service"), os.Getenv("PGSERVICE"))
	if name == "" {
		return nil
	}
	file := cmp.Or(os.Getenv("PGSERVICEFILE"), atHome(".pg_service.conf"))
	all, err := pgservicefile.ReadServicefile(file)
	if err != nil {
		return hinted("let PGSERVICEFILE name it, or write ~/.pg_service.conf", "%s: the service file cannot be read", shown)
	}
	service, err := all.GetService(name)
	if err != nil {
		return hinted("look at the names in brackets in the file that PGSERVICEFILE names", "%s: the service file has no such service", shown)
	}
	s.service = service.Settings
	return nil
}

// guardPassfile refuses a password from a file that others can read, as libpq does.
func (s *settings) guardPassfile(u *url.URL, config *pgconn.Config, shown string) error {
	_, inURL := u.User.Password()
	if config.Password == "" || inURL || s.look("password", "PGPASSWORD") != "" {
		return nil
	}
	file := cmp.Or(s.look("passfile", "PGPASSFILE"), atHome(".pgpass"))
	info, err := os.Stat(file)
	if err != nil {
		return hinted("let this user read it", "%s: the password file cannot be looked at", shown)
	}
	if info.Mode()&0o077 != 0 || !info.Mode().IsRegular() {
		return hinted("chmod 600 "+file, "%s: the password file is open to others (%s), so its password is not used", shown, info.Mode())
	}
	return nil
}

func atHome(name string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, name)
}

// remotes lists the hosts that are reached over a network.
func remotes(config *pgconn.Config) []string {
	hosts := []string{config.Host}
	for _, f := range config.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	return slices.Compact(slices.DeleteFunc(hosts, func(host string) bool {
		if filepath.IsAbs(host) || strings.EqualFold(host, "localhost") {
			return true
		}
		addr, err := netip.ParseAddr(host)
		return err == nil && addr.IsLoopback()
	}))
}

// hardened leaves nothing to the environment that the server would obey, and bounds what one message may hold.
func hardened(config *pgconn.Config) *pgconn.Config {
	config.RuntimeParams = map[string]string{"application_name": program, "client_encoding": "UTF8"}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWithin
	}
	build := config.BuildFrontend
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		f := build(r, w)
		f.SetMaxBodyLen(maxRow)
		return f
	}
	return config
}

// Key names the database and the role that a URL leads to, so that sources which spell it differently share one snapshot. A URL that cannot be read is its
// own key.
func Key(dsn string) string {
	t, err := parse(dsn, "")
	if err != nil {
		return dsn
	}
	c := t.config
	key := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	for _, f := range c.Fallbacks {
		key += "," + net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port)))
	}
	return key + "/" + strconv.Quote(c.Database) + strconv.Quote(c.User)
}

// secretsOf lists the spellings of what may never be printed.
func secretsOf(secrets ...string) []string {
	const unmistakable = 4 // a shorter one would be found in other words
	var out []string
	for _, s := range secrets {
		if len(s) >= unmistakable {
			out = append(out, s, url.QueryEscape(s), url.PathEscape(s), strconv.Quote(s))
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// scrub takes secrets out of words that come from elsewhere.
func (t *target) scrub(words string) string {
	for _, s := range t.secrets {
		words = strings.ReplaceAll(words, s, "•••")
	}
	return words
}
