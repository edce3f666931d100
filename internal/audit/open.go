package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// Trail is an open audit trail. Its methods may be called from several goroutines.
type Trail struct {
	site     site
	env      Env
	readOnly bool
	origin   string
	key      *machineKey // nil when reading only

	appends sync.Mutex // one append at a time; taken before mu
	mu      sync.Mutex // guards what follows
	conns   *conns     // nil where the file is gone
	trouble error
	closed  bool
}

// quickCheckBelow is up to which size of the file its opening has SQLite check it, in bytes; Verify always does.
const quickCheckBelow = 64 << 20

// Open opens the trail at a place for reading and appending, and makes it where there is none. A trail that is rolled back, forked, foreign or damaged opens
// for reading only: see Trouble. An error means that nothing can be read.
func Open(ctx context.Context, place Place, env Env) (*Trail, error) {
	s, err := place.resolve()
	if err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, s.lock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	t := &Trail{site: s, env: env}
	if err := t.found(); err != nil && !errors.Is(err, ErrNone) {
		return t.quarantined(err)
	} else if err != nil {
		return t.make(ctx)
	}
	_, err = t.begin(ctx)
	if errors.Is(err, ErrNone) { // its making was cut short
		return t.make(ctx)
	}
	return t.opened(err)
}

// make makes the trail that is missing, under the lock, and opens it.
func (t *Trail) make(ctx context.Context) (*Trail, error) {
	key, err := makeKey(t.site.keys)
	if err != nil {
		return nil, &PlaceError{t.site.keys, err.Error(), "this machine's key must be readable by you alone"}
	}
	if err := t.create(ctx, key); err != nil {
		return nil, fmt.Errorf("making the audit trail %s: %w", t.site.path, err)
	}
	_, err = t.begin(ctx)
	return t.opened(err)
}

func (t *Trail) opened(err error) (*Trail, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

// OpenReading opens the trail at a place for reading. It makes and writes nothing of its own; errors.Is(err, ErrNone) where no trail exists.
func OpenReading(ctx context.Context, place Place, env Env) (*Trail, error) {
	s, err := place.resolve()
	if err != nil {
		return nil, err
	}
	t := &Trail{site: s, env: env, readOnly: true}
	if err := t.found(); err != nil {
		return t.quarantined(err)
	}
	return t.begin(ctx)
}

// found returns nil where a file stands, ErrNone where none does, and a Trouble where one should.
func (t *Trail) found() error {
	at, err := t.site.look()
	switch {
	case err != nil:
		return err
	case at == empty:
		return t.absent("the file is empty")
	case at == nothing:
		return t.absent("the file is gone")
	}
	return nil
}

// absent is ErrNone, or a Trouble where this machine remembers a trail at the path.
func (t *Trail) absent(what string) error {
	origin, err := t.site.memory.at(t.site.path)
	if err != nil {
		return t.damaged(err, stateAdvice)
	}
	if origin == "" {
		return fmt.Errorf("%s: %w", t.site.path, ErrNone)
	}
	gone := &Trouble{Kind: ErrRolledBack, Path: t.site.path, What: what + ", though this machine remembers a trail in it", Advice: rollbackAdvice}
	if p, err := t.site.memory.pin(origin); err == nil && p != nil {
		gone.Pinned = p.String()
	}
	return gone
}

// quarantined returns a trail without a file for a Trouble, and any other error as it is.
func (t *Trail) quarantined(err error) (*Trail, error) {
	var trouble *Trouble
	if errors.As(err, &trouble) {
		t.trouble = trouble
		return t, nil
	}
	return nil, err
}

// begin connects to the file that stands and examines it.
func (t *Trail) begin(ctx context.Context) (*Trail, error) {
	err := t.attach(ctx)
	var trouble *Trouble
	switch {
	case err == nil:
		return t, nil
	case errors.As(err, &trouble):
		t.trouble = trouble
	case errors.Is(err, ErrNone):
		return nil, errors.Join(err, t.disconnect())
	case ctx.Err() != nil || !damage(err):
		return nil, errors.Join(fmt.Errorf("opening the audit trail %s: %w", t.site.path, err), t.disconnect())
	default:
		t.trouble = t.damaged(err, damageAdvice)
	}
	return t, nil
}

// attach connects and examines. On a disk that cannot be written, a file that nothing stands beside is read as it is.
func (t *Trail) attach(ctx context.Context) (err error) {
	if !t.readOnly {
		if t.conns, err = connect(t.site); err != nil {
			return err
		}
		return t.examine(ctx)
	}
	for _, how := range []string{reading, still} {
		if t.conns, err = connectReading(t.site, how); err != nil {
			return err
		}
		if err = t.examine(ctx); !unshared(err) || !t.site.alone() {
			return err
		}
		if e := t.conns.close(); e != nil {
			return errors.Join(err, e)
		}
	}
	return err
}

func (t *Trail) damaged(err error, advice string) *Trouble {
	return &Trouble{Kind: ErrDamaged, Path: t.site.path, What: err.Error(), Advice: advice}
}

// examine checks what every use of the trail relies on. Verify checks the rest.
func (t *Trail) examine(ctx context.Context) error {
	var h *head
	err := t.conns.snapshot(ctx, func(q querier) error {
		if err := t.format(ctx, q); err != nil {
			return err
		}
		first, err := readRecord(ctx, q, 0)
		if err != nil {
			return missingRecord(err)
		}
		t.origin = first.log
		return nil
	})
	if err != nil {
		return err
	}
	// The pin is read before the head: another process appends first and pins then, so the head that is read later is never behind it.
	p, err := t.remembered()
	if err != nil {
		return err
	}
	err = t.conns.snapshot(ctx, func(q querier) error {
		if h, err = readHead(ctx, q); err != nil {
			return missingRecord(err)
		}
		return h.extends(ctx, q, t.site.path, p)
	})
	if err != nil || t.readOnly {
		return err
	}
	return t.owns(h)
}

// remembered reads the pin, and checks that the memory of this machine is whole and of this trail.
func (t *Trail) remembered() (*pin, error) {
	m := t.site.memory
	origin, err := m.at(t.site.path)
	if err != nil {
		return nil, t.damaged(err, stateAdvice)
	}
	p, err := m.pin(t.origin)
	if err == nil && p != nil {
		err = m.whole(p)
	}
	if err != nil {
		return nil, t.damaged(err, stateAdvice)
	}
	if origin != "" && origin != t.origin {
		return nil, &Trouble{
			Kind: ErrForeign, Path: t.site.path, What: "this machine remembers the trail " + origin + " here, the file is " + t.origin, Advice: foreignAdvice,
		}
	}
	if origin != "" && p == nil {
		return nil, t.damaged(errors.New("the pin is gone from "+m.of(origin)), stateAdvice)
	}
	return p, nil
}

// owns refuses to append with another key than the trail's.
func (t *Trail) owns(h *head) error {
	trouble := &Trouble{Kind: ErrKey, Path: t.site.path, Advice: keyAdvice}
	key, err := loadKey(t.site.keys)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		trouble.What = "the key that signs its checkpoints is not in " + t.site.keys
	case err != nil:
		trouble.What = err.Error()
	case key.public != h.key:
		trouble.What = "its checkpoints are signed by another key than the one in " + t.site.keys
	default:
		t.key = key
		return nil
	}
	return trouble
}

// format checks that the file is a trail of this version, and that SQLite finds no fault in a small one.
func (t *Trail) format(ctx context.Context, q querier) error {
	var id, version, pages, size int64
	for name, p := range map[string]*int64{"application_id": &id, "user_version": &version, "page_count": &pages, "page_size": &size} {
		if err := q.QueryRowContext(ctx, "PRAGMA "+name).Scan(p); err != nil {
			return err
		}
	}
	got, err := schemaOf(ctx, q)
	if err != nil {
		return err
	}
	switch {
	case id == 0 && version == 0 && len(got) == 0:
		return t.absent("the file holds no trail")
	case id != applicationID:
		return faultf("file", "not an audit trail")
	case version > schemaVersion:
		return &Trouble{Kind: ErrNewer, Path: t.site.path, What: fmt.Sprintf("format %d, this is %d", version, schemaVersion), Advice: newerAdvice}
	case version != schemaVersion:
		return faultf("file", "format %d is not known", version)
	}
	want, err := schemaWanted()
	if err != nil {
		return err
	}
	if diff := differences(want, got); len(diff) > 0 {
		return faultf("schema", "%s", strings.Join(diff, ", "))
	}
	if pages*size > quickCheckBelow {
		return nil
	}
	return sqliteCheck(ctx, q, "quick_check")
}

// sqliteCheck runs one of SQLite's own checks.
func sqliteCheck(ctx context.Context, q querier, pragma string) error {
	rows, err := q.QueryContext(ctx, "PRAGMA "+pragma+"(1)")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		if line != "ok" {
			return faultf("file", "%s", strings.ReplaceAll(line, "\n", " "))
		}
	}
	return rows.Err()
}

// missingRecord makes a fault of a record that must be there.
func missingRecord(err error) error {
	if errors.Is(err, ErrNotFound) {
		return faultf("log", "%v", err)
	}
	return err
}

// Trouble returns nil, or why the trail takes no records: a *Trouble.
func (t *Trail) Trouble() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trouble
}

// Close closes the trail. What was acknowledged is kept already.
func (t *Trail) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return t.disconnect()
}

// disconnect closes the connections, if there are any.
func (t *Trail) disconnect() error {
	if t.conns == nil {
		return nil
	}
	c := t.conns
	t.conns = nil
	return c.close()
}
