package examples

import (
	"regexp"
	"testing"
)

func TestGitHubIssues(t *testing.T) {
	r := record(t)
	b, c := open(t, "github-issues", map[string]string{"GH_TOKEN": "gh-secret"}, "https://api.github.com", r.URL)
	headers := map[string]string{"Authorization": "Bearer gh-secret", "X-Github-Api-Version": "2022-11-28", "Accept": "application/vnd.github+json"}
	const next = `<https://api.github.com/repositories/1/issues?page=2>; rel="next"`
	play(t, r, b, c, []call{
		{tool: "list_issues", arguments: `{"repo":"hello","labels":["bug","help wanted"],"state":"open"}`, header: headers, link: next,
			request:    "GET /repos/octocat/hello/issues?state=open&labels=bug,help%20wanted",
			answer:     `[{"number":7,"title":"Crash","state":"open","body":"long","user":{"login":"ann"},"labels":[{"name":"bug"}]}]`,
			text:       "1 issues\n- #7 Crash (open)",
			structured: `{"issues":[{"number":7,"title":"Crash","state":"open","user":"ann","labels":["bug"]}],"next":"<https://api.github.com/repositories/1/issues?page=2>; rel=\"next\""}`},
		{tool: "get_issue", arguments: `{"owner":"a/b","repo":"hello","number":7}`, request: "GET /repos/a%2Fb/hello/issues/7",
			answer:     `{"number":7,"title":"T","state":"open","user":{"login":"ann"},"labels":[],"body":null,"html_url":"u"}`,
			structured: `{"number":7,"title":"T","state":"open","user":"ann","labels":[],"body":null,"url":"u"}`},
		{tool: "create_issue", arguments: `{"repo":"hello","title":"T","labels":["bug"]}`, request: "POST /repos/octocat/hello/issues", body: `{"title":"T","labels":["bug"]}`,
			status: 201, answer: `{"number":8,"html_url":"u"}`, text: "opened #8: u", structured: `{"number":8,"url":"u"}`},
		{tool: "update_issue", arguments: `{"repo":"hello","number":7,"state":"closed","milestone":null}`, request: "PATCH /repos/octocat/hello/issues/7",
			body: `{"state":"closed","milestone":null}`, answer: `{"number":7,"state":"closed","html_url":"u"}`, structured: `{"number":7,"state":"closed","url":"u"}`},
		{tool: "add_labels", arguments: `{"repo":"hello","number":7,"labels":["p1"]}`, request: "POST /repos/octocat/hello/issues/7/labels", body: `{"labels":["p1"]}`,
			answer: `[{"name":"bug"},{"name":"p1"}]`, text: `["bug","p1"]`, structured: `{"items":["bug","p1"]}`},
		{tool: "list_comments", arguments: `{"repo":"hello","number":7,"page":2}`, request: "GET /repos/octocat/hello/issues/7/comments?page=2",
			answer: `[{"id":1,"user":{"login":"ann"},"body":"hi"}]`, text: "- ann: hi", structured: `{"comments":[{"id":1,"user":"ann","body":"hi"}],"next":null}`},
		{tool: "add_comment", arguments: `{"repo":"hello","number":7,"body":"hi"}`, request: "POST /repos/octocat/hello/issues/7/comments", body: `{"body":"hi"}`,
			status: 201, answer: `{"id":1,"html_url":"u"}`, structured: `{"id":1,"url":"u"}`},
		{tool: "search_issues", arguments: `{"q":"repo:octocat/hello is:open"}`, request: "GET /search/issues?q=repo%3Aoctocat%2Fhello%20is%3Aopen",
			answer: `{"total_count":1,"items":[{"number":7,"title":"T","state":"open","html_url":"u"}]}`, text: "1 found\n- u T",
			structured: `{"total_count":1,"issues":[{"number":7,"title":"T","state":"open","url":"u"}]}`},
		{tool: "get_issue", arguments: `{"repo":"hello","number":9}`, request: "GET /repos/octocat/hello/issues/9", status: 404, answer: `{"message":"Not Found"}`,
			structured: `{"error":{"message":"Not Found","http_status":404,"kind":"not_found","hint":"A private repository that the token may not see looks like one that is not there."}}`},
	})
}

func TestStripe(t *testing.T) {
	r := record(t)
	b, c := open(t, "stripe", map[string]string{"STRIPE_API_KEY": "stripe-secret"}, "https://api.stripe.com", r.URL)
	play(t, r, b, c, []call{
		{tool: "list_customers", arguments: `{"created":{"gte":1700000000},"limit":2}`, request: "GET /v1/customers?created%5Bgte%5D=1700000000&limit=2",
			header: map[string]string{"Authorization": "Bearer stripe-secret", "Stripe-Version": "2024-06-20"},
			answer: `{"data":[{"id":"cus_1","name":"Ann","email":"a@example.com","balance":0}],"has_more":true}`,
			text:   "1 customers, more: true\n- cus_1 Ann a@example.com", structured: `{"customers":[{"id":"cus_1","name":"Ann","email":"a@example.com"}],"has_more":true}`},
		{tool: "get_payment_intent", arguments: `{"id":"pi_1","expand":["customer","latest_charge"]}`, request: "GET /v1/payment_intents/pi_1?expand%5B%5D=customer&expand%5B%5D=latest_charge",
			answer: `{"id":"pi_1","amount":1099}`, structured: `{"id":"pi_1","amount":1099}`},
		{tool: "create_customer", arguments: `{"name":"Ann","address":{"city":"Genève","country":"CH"},"metadata":{"order":"6735"}}`, request: "POST /v1/customers",
			body:   "name=Ann&address%5Bcity%5D=Gen%C3%A8ve&address%5Bcountry%5D=CH&metadata%5Border%5D=6735",
			answer: `{"id":"cus_9","name":"Ann","email":null}`, structured: `{"id":"cus_9","name":"Ann","email":null}`},
		{tool: "create_payment_intent", arguments: `{"amount":1099,"currency":"eur","payment_method_types":["card","ideal"]}`, request: "POST /v1/payment_intents",
			body:   "amount=1099&currency=eur&payment_method_types%5B%5D=card&payment_method_types%5B%5D=ideal",
			answer: `{"id":"pi_2","status":"ok","amount":1099,"currency":"eur"}`, structured: `{"id":"pi_2","status":"ok","amount":1099,"currency":"eur"}`},
		{tool: "create_refund", arguments: `{"payment_intent":"pi_2"}`, request: "POST /v1/refunds", body: "payment_intent=pi_2", status: 402,
			answer:     `{"error":{"type":"card_error","code":"card_declined","message":"declined"}}`,
			structured: `{"error":{"code":"card_declined","message":"declined","http_status":402,"kind":"card","hint":"The payment failed; the parameters were valid.","retryable":false,"details":{"type":"card_error","code":"card_declined","message":"declined"}}}`},
	})
}

// A POST with a key may be tried again, and the key is the same each time.
func TestStripeTriesAgainWithTheSameKey(t *testing.T) {
	r := record(t)
	b, _ := open(t, "stripe", map[string]string{"STRIPE_API_KEY": "stripe-secret"}, "https://api.stripe.com", r.URL)
	r.next = call{status: 503, answer: `{"error":{"type":"api_error","message":"later"}}`}
	result, _ := b.Call(t.Context(), "create_refund", []byte(`{"payment_intent":"pi_2"}`))
	if result.Kind != "upstream" || len(r.requests) < 2 {
		t.Fatalf("%d requests, %s", len(r.requests), result.Text())
	}
	key := r.requests[0].Header.Get("Idempotency-Key")
	if !regexp.MustCompile(`^[0-9a-f-]{36}$`).MatchString(key) {
		t.Errorf("the key is %q", key)
	}
	for _, again := range r.requests {
		if again.Header.Get("Idempotency-Key") != key {
			t.Errorf("another key: %q", again.Header.Get("Idempotency-Key"))
		}
	}
}

func TestSlack(t *testing.T) {
	r := record(t)
	b, c := open(t, "slack", map[string]string{"SLACK_BOT_TOKEN": "slack-secret"}, "https://slack.com", r.URL)
	play(t, r, b, c, []call{
		{tool: "conversations_list", arguments: `{"types":["public_channel","im"],"exclude_archived":false}`,
			request: "GET /api/conversations.list?types=public_channel,im&exclude_archived=false", header: map[string]string{"Authorization": "Bearer slack-secret"},
			answer: `{"ok":true,"channels":[{"id":"C1","name":"dev","num_members":3,"x":1}],"response_metadata":{"next_cursor":""}}`,
			text:   "- C1 #dev", structured: `{"channels":[{"id":"C1","name":"dev","num_members":3}],"next_cursor":""}`},
		{tool: "conversations_history", arguments: `{"channel":"C1","limit":1}`, request: "GET /api/conversations.history?channel=C1&limit=1",
			answer: `{"ok":true,"messages":[{"ts":"1.2","user":"U1","text":"Привет"}],"response_metadata":{"next_cursor":"bmV4"}}`,
			text:   "1 messages, next: bmV4\n- 1.2 U1: Привет", structured: `{"messages":[{"ts":"1.2","user":"U1","text":"Привет"}],"next_cursor":"bmV4"}`},
		{tool: "chat_post_message", arguments: `{"channel":"C1","text":"<hi> & {bye}"}`, request: "POST /api/chat.postMessage", body: `{"channel":"C1","text":"<hi> & {bye}"}`,
			answer: `{"ok":true,"channel":"C1","ts":"1.3"}`, text: "posted 1.3", structured: `{"channel":"C1","ts":"1.3"}`},
		{tool: "reactions_add", arguments: `{"channel":"C1","timestamp":"1.2","name":"eyes"}`, request: "POST /api/reactions.add",
			body: `{"channel":"C1","timestamp":"1.2","name":"eyes"}`, answer: `{"ok":false,"error":"already_reacted"}`, structured: `{"ok":false,"error":"already_reacted"}`},
		{tool: "users_info", arguments: `{"user":"U1"}`, request: "GET /api/users.info?user=U1", answer: `{"ok":false,"error":"missing_scope","needed":"users:read"}`,
			structured: `{"error":{"code":"missing_scope","message":"missing_scope","http_status":200,"kind":"scope","hint":"Add the scope to the app and install it again."}}`},
	})
}

func TestPrometheus(t *testing.T) {
	r := record(t)
	b, c := open(t, "prometheus", map[string]string{"PROMETHEUS_URL": r.URL})
	play(t, r, b, c, []call{
		{tool: "query", arguments: `{"query":"up{job=\"node\"} > 0"}`, request: "GET /api/v1/query?query=up%7Bjob%3D%22node%22%7D%20%3E%200",
			answer:     `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"job":"node"},"value":[1700000000.500,"1"]}]}}`,
			text:       "1 series (vector)\n- {\"job\":\"node\"}: 1",
			structured: `{"resultType":"vector","result":[{"metric":{"job":"node"},"value":[1700000000.500,"1"]}]}`},
		{tool: "query_range", arguments: `{"query":"up","start":"1","end":"2","step":"15s"}`, request: "GET /api/v1/query_range?query=up&start=1&end=2&step=15s",
			answer: `{"status":"success","data":{"resultType":"matrix","result":[]}}`, structured: `{"resultType":"matrix","result":[]}`},
		{tool: "series", arguments: `{"match":["up","node{a=\"b\"}"]}`, request: "GET /api/v1/series?match%5B%5D=up&match%5B%5D=node%7Ba%3D%22b%22%7D",
			answer: `{"status":"success","data":[]}`, text: `[]`, structured: `{"items":[]}`},
		{tool: "label_values", arguments: `{"label":"job"}`, request: "GET /api/v1/label/job/values", answer: `{"status":"success","data":["node"]}`, text: `["node"]`, structured: `{"items":["node"]}`},
		{tool: "alerts", request: "GET /api/v1/alerts", answer: `{"status":"success","data":{"alerts":[{"labels":{"alertname":"Down"},"state":"firing","annotations":{"summary":"it is down"}}]}}`,
			text: "1 alerts\n- Down firing: it is down", structured: `{"items":[{"labels":{"alertname":"Down"},"state":"firing","annotations":{"summary":"it is down"}}]}`},
		{tool: "targets", arguments: `{"state":"active"}`, request: "GET /api/v1/targets?state=active",
			answer: `{"status":"success","data":{"activeTargets":[{"labels":{"job":"node"},"scrapeUrl":"u","health":"up","lastError":""}]}}`,
			text:   "- node u: up ", structured: `{"items":[{"job":"node","url":"u","health":"up","error":""}]}`},
		{tool: "query", arguments: `{"query":"up{"}`, request: "GET /api/v1/query?query=up%7B", status: 400, answer: `{"status":"error","errorType":"bad_data","error":"1:4: parse error"}`,
			structured: `{"error":{"code":"bad_data","message":"1:4: parse error","http_status":400,"kind":"validation","hint":"The expression or a time does not parse."}}`},
	})
}

func TestGraphQL(t *testing.T) {
	r := record(t)
	b, c := open(t, "graphql", map[string]string{"GITHUB_TOKEN": "gh-secret"}, "https://api.github.com", r.URL)
	const issues = `query ($owner: String!, $name: String!, $first: Int!, $after: String) {\n  repository(owner: $owner, name: $name) {\n` +
		`    issues(first: $first, after: $after, states: OPEN, orderBy: { field: CREATED_AT, direction: DESC }) {\n      totalCount\n` +
		`      nodes { number title author { login } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n}\n`
	play(t, r, b, c, []call{
		{tool: "viewer", request: "POST /graphql", body: `{"query":"{ viewer { login name } }"}`, header: map[string]string{"Authorization": "Bearer gh-secret"},
			answer: `{"data":{"viewer":{"login":"ann","name":"Ann"}}}`, text: "ann (Ann)", structured: `{"login":"ann","name":"Ann"}`},
		{tool: "repository_issues", arguments: `{"owner":"octocat","name":"hello"}`, request: "POST /graphql",
			body:       `{"query":"` + issues + `","variables":{"owner":"octocat","name":"hello","first":20}}`,
			answer:     `{"data":{"repository":{"issues":{"totalCount":1,"nodes":[{"number":7,"title":"T","author":{"login":"ann"}}],"pageInfo":{"hasNextPage":false,"endCursor":"x"}}}}}`,
			text:       "1 open issues\n- #7 T",
			structured: `{"total":1,"issues":[{"number":7,"title":"T","author":"ann"}],"hasNextPage":false,"endCursor":"x"}`},
		{tool: "add_star", arguments: `{"id":"R_1"}`, request: "POST /graphql",
			body:   `{"query":"mutation ($id: ID!) {\n  addStar(input: { starrableId: $id }) {\n    starrable { stargazerCount }\n  }\n}\n","variables":{"id":"R_1"}}`,
			answer: `{"data":{"addStar":{"starrable":{"stargazerCount":5}}}}`, structured: `{"stars":5}`},
		{tool: "repository_issues", arguments: `{"owner":"octocat","name":"gone","first":1}`, request: "POST /graphql",
			body:       `{"query":"` + issues + `","variables":{"owner":"octocat","name":"gone","first":1}}`,
			answer:     `{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","message":"Could not resolve to a Repository"}]}`,
			structured: `{"error":{"code":"NOT_FOUND","message":"Could not resolve to a Repository","http_status":200,"kind":"not_found","details":[{"type":"NOT_FOUND","message":"Could not resolve to a Repository"}]}}`},
	})
}
