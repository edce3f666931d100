package audit

import (
	"context"
	"database/sql"
)

// session is one connection in one transaction. A plan repeats a few statements for each of its records: each is prepared once.
type session struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

func (s *session) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st := s.prepared[query]; st != nil {
		return st, nil
	}
	st, err := s.conn.PrepareContext(ctx, query)
	if err == nil {
		s.prepared[query] = st
	}
	return st, err
}

func (s *session) exec(ctx context.Context, query string, args ...any) error {
	st, err := s.stmt(ctx, query)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(ctx, args...)
	return err
}

// QueryContext implements querier.
func (s *session) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := s.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// QueryRowContext implements querier.
func (s *session) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	st, err := s.stmt(ctx, query)
	if err != nil {
		return s.conn.QueryRowContext(ctx, query, args...) // it fails in the same way
	}
	return st.QueryRowContext(ctx, args...)
}

func (s *session) close() {
	for _, st := range s.prepared {
		_ = st.Close()
	}
}
