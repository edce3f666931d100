package postgres

import (
	"context"
	"testing"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

// TestIdentity: a standby is its primary's copy until it is promoted; then its timeline is another. A server that does not say is not known, and is read all
// the same.
func TestIdentity(t *testing.T) {
	t.Parallel()
	primary := alone(t, "")
	writer := admin(t, primary)
	run(t, writer, "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)")
	standby, err := primary.Standby(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	reach(t, standby, "SELECT 1 FROM t")
	one, _ := extent(t, primary.DSN(pgtest.User, "postgres"), "t")
	two, _ := extent(t, standby.DSN(pgtest.User, "postgres"), "t")
	if one.Server.System == "" || one.Server.Timeline != "1" || one.Server != two.Server {
		t.Errorf("primary %+v, standby %+v", one.Server, two.Server)
	}
	run(t, admin(t, standby), "SELECT pg_promote()", "CHECKPOINT")
	two, _ = extent(t, standby.DSN(pgtest.User, "postgres"), "t")
	if two.Server.System != one.Server.System || two.Server.Timeline != "2" {
		t.Errorf("after the promotion %+v", two.Server)
	}
	run(t, writer, "CREATE ROLE reader LOGIN", "GRANT SELECT ON t TO reader", "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
	if three, _ := extent(t, primary.DSN("reader", "postgres"), "t"); three.Server.System != "" || !three.Complete {
		t.Errorf("to a role that may not ask: %+v", three)
	}
}
