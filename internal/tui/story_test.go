package tui

import (
	"testing"
	"time"
)

func TestQueueOpensAndMoves(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36, func(o *Options) { o.Fixture = true })
	c.shows("TRAINING", "PINNED", "13 cases", "receipt-missing-after-r").selected("cart-e1c5-1")
	c.press("j", "j").selected("cart-46d8-1")
	c.burst("jjjjj").selected("cart-ad35-2")
	c.press("G").selected("cart-52a8-1").press("g").selected("cart-e1c5-1")
	c.press("enter").hides("EXPOSED").shows("It would execute the action a second time.", "already-executed", "resolve: backfill-receipt")
}

func TestDecideStory(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("enter", "d").wait(time.Second)
	c.shows("Record", "choose first")
	c.press("tab", " ").shows("replay is refused")
	c.press("down", "down", " ").shows("(x) resolve: backfill-receipt")
	c.press("tab").typeText("the order stands and the charge is there")
	c.press("tab").shows("[ Record backfill-receipt for 1 case ]").press("enter")
	c.shows("recorded: resolve: backfill-receipt for 1 case")
	if len(d.asked) != 1 || len(d.decisions) != 1 || d.asked[0].Seen[d.asked[0].Cases[0]] == "" {
		t.Fatalf("asked %+v", d.asked)
	}
	c.press("esc").selected("backfill-").press("2").shows("resolve: backfill-receipt", "the order stands").press("v").shows("verified: 1 record")
	c.press("enter").shows("As it was on the screen")
}
