package histories

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strconv"
)

// bulkConfig reads what WriteBulk writes.
const bulkConfig = `version: 1
name: bulk
now: 2026-11-29T06:00:00Z
contracts:
  - operation: pay
    scope: [tenant, operation, key]
    effect: both
    retention: 24h
    retry_window: 72h
    settle: 2m
    lease: 5m
    dead_after: 20m
    provider: stripe-v1
sources:
  - name: receipts
    role: receipts
    open: sqlite:orders.sqlite
    table: receipts
    map:
      tenant: tenant
      operation: {value: pay}
      key: idem_key
      fingerprint: request_hash
      state: {from: status, words: {PROCESSING: in-progress, COMPLETED: completed, FAILED: failed-final}}
      effect_id: order_id
      provider_ref: charge
      locked_at: {from: locked_at, as: unix-ms}
      created_at: {from: created_at, as: unix-ms}
  - name: orders
    role: effects
    open: sqlite:orders.sqlite
    table: orders
    map:
      effect_id: id
      tenant: tenant
      operation: {value: pay}
      key: idem_key
      amount: {from: amount, unit: minor, currency: currency}
      status: {from: status, words: {paid: effective}}
      provider_ref: charge
      created_at: {from: created_at, as: unix-ms}
  - name: charges
    role: provider
    open: jsonl:charges.jsonl
    coverage: {from: 2026-11-28T00:00:00Z, to: 2026-11-29T06:00:00Z, lag: 15m}
    map:
      tenant: data.object.metadata.tenant
      operation: {value: pay}
      key: request.idempotency_key
      event_id: id
      object_id: data.object.id
      outcome: {from: type, words: {charge.succeeded: succeeded, charge.pending: pending}}
      amount: {from: data.object.amount, unit: minor, currency: data.object.currency}
      created_at: {from: created, as: unix-s}
`

// cancelEvery is how many lines are written between two looks at the context.
const cancelEvery = 4096

func (opt Bulk) writeLog(ctx context.Context, path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for at := range opt.N {
		if at%cancelEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		a := opt.action(opt.order(at, 3))
		if a.plan.line == "" {
			continue
		}
		if line, err = a.appendLine(line[:0]); err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

// appendLine writes one event of a payment provider: the shape is a real one's, every value is invented.
func (a *action) appendLine(b []byte) ([]byte, error) {
	key, err := json.Marshal(a.id.Key)
	if err != nil {
		return nil, err
	}
	tenant, err := json.Marshal(a.id.Tenant)
	if err != nil {
		return nil, err
	}
	created := strconv.FormatInt(a.at.Unix()+1, 10)
	charge := a.charge()
	add := func(parts ...string) {
		for _, p := range parts {
			b = append(b, p...)
		}
	}
	add(`{"id":"evt_`, charge, `","object":"event","api_version":"2025-09-30.clover","created":`, created, `,"type":"charge.`, a.plan.line, `","livemode":true,`)
	add(`"pending_webhooks":1,"request":{"id":"req_`, charge[3:19], `","idempotency_key":`, string(key), `},"data":{"object":{"id":"`, charge, `","object":"charge","amount":`)
	b = strconv.AppendInt(b, a.minor+a.plan.more, 10)
	add(`,"amount_captured":`)
	b = strconv.AppendInt(b, a.minor+a.plan.more, 10)
	add(`,"amount_refunded":0,"currency":"eur","created":`, created, `,"captured":true,"paid":true,"refunded":false,"customer":"cus_`, charge[5:17], `","description":null,`)
	add(`"metadata":{"tenant":`, string(tenant), `,"app":"orders"},"outcome":{"network_status":"approved_by_network","reason":null,"risk_level":"normal","type":"authorized"},`)
	add(`"payment_method":"pm_`, charge[4:20], `","payment_method_details":{"type":"card","card":{"brand":"visa","country":"AT","exp_month":12,"exp_year":2030}},"status":"`, a.plan.line, `"}}}`)
	return append(b, '\n'), nil
}
