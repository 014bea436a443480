package bridge

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what a team's server counts. nil counts nothing.
type metrics struct {
	registry   *prometheus.Registry
	calls      *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	upstream   *prometheus.HistogramVec
	generation prometheus.Gauge
	failures   prometheus.Counter
}

var (
	buckets = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

	breakerState = prometheus.NewDesc("tbridge_breaker_state", "State of the breaker of an API: 0 closed, 1 probing, 2 open.", []string{"api"}, nil)
	apiInFlight  = prometheus.NewDesc("tbridge_api_in_flight", "Calls that an API has in hand.", []string{"api"}, nil)
	faultyFiles  = prometheus.NewDesc("tbridge_faulty_files", "Tools files whose latest version is faulty and not served.", nil, nil)
	servedTools  = prometheus.NewDesc("tbridge_tools", "Tools that are served.", nil, nil)
)

func newMetrics(b *Bridge) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tbridge_calls_total", Help: "Calls that ended, by tool and by outcome: ok or the kind of failure."}, []string{"tool", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tbridge_call_seconds", Help: "How long calls took, from the request to the result.", Buckets: buckets}, []string{"tool"}),
		upstream: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tbridge_upstream_seconds", Help: "How long APIs took to the head of their answer, for each request sent.", Buckets: buckets}, []string{"api"}),
		generation: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tbridge_reload_generation", Help: "How many catalogues have been served since the start."}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tbridge_reload_failures_total", Help: "Reloads after which all stayed as it was, or a faulty file did."}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "tbridge_build_info", Help: "The version that runs.", ConstLabels: prometheus.Labels{"version": b.options.Version}})
	build.Set(1)
	m.registry.MustRegister(m.calls, m.seconds, m.upstream, m.generation, m.failures, build, snapshot{b},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// gauge adds a number that is read when somebody asks.
func (m *metrics) gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

func (m *metrics) observe(tool, outcome string, took time.Duration) {
	if m == nil {
		return
	}
	m.calls.WithLabelValues(tool, outcome).Inc()
	if tool != "" {
		m.seconds.WithLabelValues(tool).Observe(took.Seconds())
	}
}

func (m *metrics) answered(api string, took time.Duration) {
	if m != nil {
		m.upstream.WithLabelValues(api).Observe(took.Seconds())
	}
}

func (m *metrics) served() {
	if m != nil {
		m.generation.Inc()
	}
}

func (m *metrics) failed() {
	if m != nil {
		m.failures.Inc()
	}
}

// Metrics gives the metrics in the text format of Prometheus. It is for a bridge with Options.HTTP.
func (b *Bridge) Metrics() http.Handler {
	return promhttp.HandlerFor(b.metrics.registry, promhttp.HandlerOpts{})
}

// A snapshot is a bridge, as it is when Prometheus asks.
type snapshot struct{ bridge *Bridge }

// Describe implements prometheus.Collector.
func (snapshot) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{breakerState, apiInFlight, faultyFiles, servedTools} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (s snapshot) Collect(ch chan<- prometheus.Metric) {
	tell := func(d *prometheus.Desc, n int, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	g := s.bridge.current.Load()
	for name, a := range g.apis {
		if a.breaker != nil {
			tell(breakerState, a.breaker.state(), name)
		}
		tell(apiInFlight, len(a.limit.slots), name)
	}
	tell(faultyFiles, len(s.bridge.health().Files))
	tell(servedTools, len(g.tools))
}
