package audit_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
)

// manyRecords is the size of the trail that the benchmarks read and append to.
const manyRecords = 100_000

// BenchmarkAppend is one decision to a trail of 100k records: lock, transaction, signed checkpoint, fsync, read-back, journal and pin.
func BenchmarkAppend(b *testing.B) {
	p, c := place(b), newClock()
	trail := open(b, p, c)
	grow(b, trail, manyRecords)
	var each []time.Duration
	i := 0
	for b.Loop() {
		for range 1000 {
			i++
			begin := time.Now()
			decide(b, trail, proposal(fmt.Sprintf("bench-%d", i)))
			each = append(each, time.Since(begin))
		}
	}
	slices.Sort(each)
	b.ReportMetric(float64(each[len(each)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(each[len(each)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkVerify reads a trail of 100k records and compares everything with everything.
func BenchmarkVerify(b *testing.B) {
	p, c := place(b), newClock()
	trail := open(b, p, c)
	grow(b, trail, manyRecords)
	for b.Loop() {
		begin := time.Now()
		r := verified(b, trail)
		b.ReportMetric(float64(r.Records)/time.Since(begin).Seconds(), "records/s")
		b.ReportMetric(time.Since(begin).Seconds(), "verify-s")
	}
	if info, err := os.Stat(p.Path); err == nil {
		b.ReportMetric(float64(info.Size())/manyRecords, "B/record")
	}
	begin := time.Now()
	again, err := audit.OpenReading(b.Context(), p, c.env())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(begin).Microseconds())/1000, "open-ms")
	_ = again.Close()
}

// grow fills a trail with decisions, a thousand in a plan.
func grow(tb testing.TB, trail *audit.Trail, n int) {
	tb.Helper()
	for done := 0; done < n; {
		var plan []audit.Proposal
		for ; len(plan) < 1000 && done < n; done++ {
			plan = append(plan, proposal(fmt.Sprintf("case-%07d", done)))
		}
		decide(tb, trail, plan...)
	}
}
