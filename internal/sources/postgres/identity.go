package postgres

import (
	"context"

	"example.com/idemctl/internal/sources/rows"
)

// Where the role may not ask, or the server only speaks PostgreSQL's protocol, the first of these says so; the second would end the transaction.
const (
	mayIdentify = `SELECT coalesce(pg_catalog.has_function_privilege(pg_catalog.to_regprocedure('pg_catalog.pg_control_system()')::oid, 'EXECUTE')
 AND pg_catalog.has_function_privilege(pg_catalog.to_regprocedure('pg_catalog.pg_control_checkpoint()')::oid, 'EXECUTE'), false)`
	askIdentity = `SELECT s.system_identifier::text, c.timeline_id::text FROM pg_catalog.pg_control_system() s, pg_catalog.pg_control_checkpoint() c`
)

// identify asks by what the server can be told from another, and from itself after a restore to a point in time. A server that does not say is not known. It
// must come last in its transaction, which an answer that fails ends.
func identify(ctx context.Context, s *session) (rows.Server, error) {
	row, err := s.one(ctx, mayIdentify)
	if err == nil && row[0] == "t" {
		if row, err = s.one(ctx, askIdentity); err == nil {
			return rows.Server{System: row[0], Timeline: row[1]}, nil
		}
	}
	return rows.Server{}, ctx.Err()
}
