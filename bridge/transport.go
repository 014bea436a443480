package bridge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/net/http/httpproxy"

	"tbridge/config"
)

// maxHeaderBytes bounds the headers of an answer.
const maxHeaderBytes = 64 << 10

// transport makes the connections of an API. Each API has its own, so that a slow one cannot starve another.
func (s *settler) transport() *http.Transport {
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  s.proxy(),
		OnProxyConnectResponse: connected,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        s.tls(),
		TLSHandshakeTimeout:    connectTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // the reader asks for it and undoes it, within its limits
		MaxIdleConnsPerHost:    defaultConcurrency,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// A proxyRefusal is the status with which a proxy answered CONNECT.
type proxyRefusal int

func (r proxyRefusal) Error() string { return fmt.Sprintf("proxy: HTTP %d", int(r)) }

func connected(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return proxyRefusal(answer.StatusCode)
	}
	return nil
}

// proxy reads the proxies of the environment, as Go does: HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or in lower case.
// A host of the loopback is never reached through one.
func (s *settler) proxy() func(*http.Request) (*url.URL, error) {
	get := func(lower, upper string) string {
		if v, _ := s.options.Env(lower); v != "" {
			return v
		}
		v, _ := s.options.Env(upper)
		return v
	}
	proxies := httpproxy.Config{
		HTTPProxy:  get("http_proxy", "HTTP_PROXY"),
		HTTPSProxy: get("https_proxy", "HTTPS_PROXY"),
		NoProxy:    get("no_proxy", "NO_PROXY"),
	}
	for _, proxy := range []string{proxies.HTTPProxy, proxies.HTTPSProxy} {
		if u, err := url.Parse(proxy); err == nil && u.User != nil {
			if password, ok := u.User.Password(); ok {
				s.masks.add(password, u.User.Username()+":"+password)
			}
		}
	}
	choose := proxies.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return choose(r.URL) }
}

func (s *settler) tls() *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	def := s.def.TLS
	if def == nil {
		return c
	}
	c.InsecureSkipVerify = def.InsecureSkipVerify
	if pem := s.file("tls.ca_file", def.CAFile); pem != nil {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			s.fault(kindInternal, "tls.ca_file", errors.New("holds no certificate in PEM"))
		}
		c.RootCAs = pool
	}
	cert, key := s.file("tls.client_cert", def.ClientCert), s.file("tls.client_key", def.ClientKey)
	if cert != nil && key != nil {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			s.fault(kindInternal, "tls.client_cert", errors.New("and tls.client_key are no pair in PEM"))
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c
}

// file reads the file that a Value names; nil: there is none to read.
func (s *settler) file(key string, v *config.Value) []byte {
	if v == nil {
		return nil
	}
	path, err := s.text(v, false)
	if err != nil {
		s.fault(kindInternal, key, err)
		return nil
	}
	place, err := s.def.Locate(path, s.options.Env)
	if err != nil {
		s.fault(kindInternal, key, err)
		return nil
	}
	data, err := os.ReadFile(place)
	if err != nil {
		s.fault(kindInternal, key, &config.MissingError{Tried: []string{fmt.Sprintf("file %s", path)}})
		return nil
	}
	s.values = append(s.values, string(data))
	return data
}
