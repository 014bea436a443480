package examples

import "testing"

func TestTrustGraph(t *testing.T) {
	r := record(t)
	b, c := open(t, "trustgraph", map[string]string{"TRUSTGRAPH_URL": r.URL, "TRUSTGRAPH_AUTHORIZATION": "Bearer gateway-secret"})
	const service = "POST /api/v1/flow/default/service/mcp-tool"
	play(t, r, b, c, []call{
		{tool: "get_bank_balance", arguments: `{"account_id":"ACC-7"}`, request: service, header: map[string]string{"Authorization": "Bearer gateway-secret"},
			body:   `{"name":"get_bank_balance","parameters":{"account_id":"ACC-7"}}`,
			answer: `{"object":{"balance":12.50,"currency":"EUR"}}`, structured: `{"balance":12.50,"currency":"EUR"}`},
		{tool: "get_bank_balance", arguments: `{"account_id":"ACC-7","date":"2026-01-31"}`, request: service,
			body:   `{"name":"get_bank_balance","parameters":{"account_id":"ACC-7","date":"2026-01-31"}}`,
			answer: `{"text":"12.50 EUR"}`, text: "12.50 EUR", structured: `{"value":"12.50 EUR"}`},
		{tool: "get_bank_balance", arguments: `{"account_id":"ACC-8"}`, request: service,
			body:       `{"name":"get_bank_balance","parameters":{"account_id":"ACC-8"}}`,
			answer:     `{"error":{"type":"tool-error","message":"no such account"}}`,
			structured: `{"error":{"code":"tool-error","message":"no such account","http_status":200,"kind":"upstream"}}`},
		{tool: "current_time", arguments: `{"zone":"Europe/Kyiv","deep":{"a":[1,2.50]}}`, request: service,
			body:   `{"name":"current_time","parameters":{"zone":"Europe/Kyiv","deep":{"a":[1,2.50]}}}`,
			answer: `{"text":"12:00"}`, text: "12:00", structured: `{"value":"12:00"}`},
		{tool: "current_time", request: service, body: `{"name":"current_time","parameters":{}}`,
			answer: `{"object":["a"]}`, text: `["a"]`, structured: `{"items":["a"]}`},
	})
}

// What is misspelt is told, instead of being passed on as TrustGraph does.
func TestTrustGraphArgumentsAreChecked(t *testing.T) {
	r := record(t)
	b, _ := open(t, "trustgraph", map[string]string{"TRUSTGRAPH_URL": r.URL})
	result, _ := b.Call(t.Context(), "get_bank_balance", []byte(`{"acount_id":"ACC-7","date":5}`))
	if result.Kind != "invalid_arguments" || len(r.requests) != 0 {
		t.Errorf("%s, %d requests", result.Text(), len(r.requests))
	}
	r.next = call{answer: `{"text":"x"}`}
	if _, _ = b.Call(t.Context(), "current_time", nil); len(r.requests) != 1 || r.requests[0].Header["Authorization"] != nil {
		t.Errorf("without a secret, no Authorization is sent: %v", r.requests)
	}
}
