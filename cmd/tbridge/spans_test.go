package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tbridge/bridge"
)

func lookup(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}
}

func TestSpansReachACollector(t *testing.T) { synctest.Test(t, testSpansReachACollector) }

func testSpansReachACollector(t *testing.T) {
	got := make(chan string, 1)
	_, l := serveLAN(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.Path + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("X-Key") + "\n" + string(body)
	})
	s := startSpans(lookup(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example/", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b, ", "OTEL_SERVICE_NAME": "board"}),
		slog.New(slog.DiscardHandler))
	s.client.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return l.dial(t), nil }}
	at := time.Unix(1, 5)
	s.sink()(bridge.Span{TraceID: "aa", SpanID: "bb", Tool: "t", Principal: "ci", Outcome: "not_found", Status: 404, Began: at, Ended: at.Add(time.Second)})
	s.close()
	head, body, _ := strings.Cut(<-got, "\n")
	if head != "/v1/traces application/json a b" {
		t.Errorf("head %s", head)
	}
	want := `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"board"}},{"key":"service.version","value":{"stringValue":"` + versionOf() + `"}}]},
	  "scopeSpans":[{"scope":{"name":"tbridge"},"spans":[{"traceId":"aa","spanId":"bb","parentSpanId":"","name":"tools/call t","kind":2,"startTimeUnixNano":"1000000005","endTimeUnixNano":"2000000005",
	  "attributes":[{"key":"tbridge.tool","value":{"stringValue":"t"}},{"key":"tbridge.principal","value":{"stringValue":"ci"}},{"key":"tbridge.outcome","value":{"stringValue":"not_found"}},
	  {"key":"http.response.status_code","value":{"intValue":"404"}}],"status":{"code":2,"message":"not_found"}}]}]}]}`
	var a, b any
	if json.Unmarshal([]byte(body), &a) != nil || json.Unmarshal([]byte(want), &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("body %s", body)
	}
}

func TestSpansThatNobodyWants(t *testing.T) {
	for _, env := range []map[string]string{nil, {"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4317"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}} {
		s := startSpans(lookup(env), slog.New(slog.DiscardHandler))
		if s != nil || s.sink() != nil {
			t.Errorf("%v: spans are sent", env)
		}
		s.close()
	}
}

// A collector that is not there costs nobody anything.
func TestSpansAreDropped(t *testing.T) {
	s := startSpans(lookup(map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1/x"}), slog.New(slog.DiscardHandler))
	took := s.sink()
	for range 3 * spansHeld {
		took(bridge.Span{})
	}
	s.close()
}
