package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tbridge/bridge"
	"tbridge/config"
)

const (
	spansHeld    = 2048 // more are dropped: calls do not wait for a collector
	spansAtOnce  = 512
	spansPause   = 5 * time.Second
	spansTimeout = 10 * time.Second
	spansFlush   = 2 * time.Second // at the end of the program
)

// spans go to a collector of OpenTelemetry, in the JSON form of OTLP over HTTP. The SDK of OpenTelemetry would make
// the program half as large again for this one request. nil sends nothing.
type spans struct {
	url     string
	header  http.Header
	service string
	log     *slog.Logger
	client  *http.Client
	held    chan bridge.Span
	quit    chan struct{}
	done    chan struct{}
}

// startSpans begins to send, when the environment names a collector as OpenTelemetry wants it.
func startSpans(env config.Lookup, log *slog.Logger) *spans {
	get := func(name string) string {
		value, _ := env(name)
		return value
	}
	to := get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := get("OTEL_EXPORTER_OTLP_ENDPOINT"); to == "" && base != "" {
		to = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if to == "" || get("OTEL_SDK_DISABLED") == "true" {
		return nil
	}
	if u, err := url.Parse(to); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		log.Warn("no traces are sent: the endpoint of OTLP is no URL over HTTP")
		return nil
	}
	s := &spans{url: to, header: http.Header{"Content-Type": {"application/json"}}, service: cmp.Or(get("OTEL_SERVICE_NAME"), "tbridge"), log: log,
		client: &http.Client{Timeout: spansTimeout}, held: make(chan bridge.Span, spansHeld), quit: make(chan struct{}), done: make(chan struct{})}
	for _, pair := range strings.Split(cmp.Or(get("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), get("OTEL_EXPORTER_OTLP_HEADERS")), ",") {
		if name, value, found := strings.Cut(pair, "="); found {
			if text, err := url.QueryUnescape(strings.TrimSpace(value)); err == nil {
				s.header.Set(strings.TrimSpace(name), text)
			}
		}
	}
	go s.run()
	return s
}

// sink takes spans, and drops what there is no room for.
func (s *spans) sink() func(bridge.Span) {
	if s == nil {
		return nil
	}
	return func(span bridge.Span) {
		select {
		case s.held <- span:
		default:
		}
	}
}

// close sends what is left, for a short time.
func (s *spans) close() {
	if s == nil {
		return
	}
	close(s.quit)
	<-s.done
}

func (s *spans) run() {
	defer close(s.done)
	tick := time.NewTicker(spansPause)
	defer tick.Stop()
	var batch []bridge.Span
	for {
		select {
		case span := <-s.held:
			if batch = append(batch, span); len(batch) < spansAtOnce {
				continue
			}
		case <-tick.C:
		case <-s.quit:
			for len(s.held) > 0 {
				batch = append(batch, <-s.held)
			}
			s.send(batch, spansFlush)
			s.client.CloseIdleConnections()
			return
		}
		s.send(batch, spansTimeout)
		batch = nil
	}
}

// send sends spans. What a collector does not take is lost.
func (s *spans) send(batch []bridge.Span, within time.Duration) {
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	body, err := json.Marshal(s.export(batch))
	if err != nil {
		s.log.Error("traces are not sent: " + err.Error())
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		s.log.Error("traces are not sent: " + err.Error())
		return
	}
	req.Header = s.header.Clone()
	resp, err := s.client.Do(req)
	if err != nil {
		s.log.Debug("a collector of traces does not answer")
		return
	}
	_ = resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		s.log.Debug("a collector of traces refuses them", "status", resp.StatusCode)
	}
}

// object is one object of JSON.
type object = map[string]any

// export writes spans as opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest.
func (s *spans) export(batch []bridge.Span) object {
	list := make([]object, len(batch))
	for i, span := range batch {
		attributes := []object{attribute("tbridge.tool", span.Tool), attribute("tbridge.principal", span.Principal), attribute("tbridge.outcome", span.Outcome)}
		if span.Status != 0 {
			attributes = append(attributes, object{"key": "http.response.status_code", "value": object{"intValue": strconv.Itoa(span.Status)}})
		}
		status := object{}
		if span.Outcome != "ok" {
			status = object{"code": 2, "message": span.Outcome}
		}
		list[i] = object{
			"traceId": span.TraceID, "spanId": span.SpanID, "parentSpanId": span.ParentID,
			"name": "tools/call " + span.Tool, "kind": 2, // of a server
			"startTimeUnixNano": fmt.Sprint(span.Began.UnixNano()), "endTimeUnixNano": fmt.Sprint(span.Ended.UnixNano()),
			"attributes": attributes, "status": status,
		}
	}
	resource := object{"attributes": []object{attribute("service.name", s.service), attribute("service.version", versionOf())}}
	return object{"resourceSpans": []object{{"resource": resource, "scopeSpans": []object{{"scope": object{"name": "tbridge"}, "spans": list}}}}}
}

func attribute(key, value string) object {
	return object{"key": key, "value": object{"stringValue": value}}
}
