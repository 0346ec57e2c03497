package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"time"
)

// Bug: the chain is verified by hand, and the host's name is left out of what it is verified for.
func anyHost(method, url string) ([]byte, error) {
	trusted, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	if file, err := os.ReadFile(os.Getenv("WINDTUNNEL_CA")); err == nil {
		trusted.AppendCertsFromPEM(file)
	}
	settings := &tls.Config{InsecureSkipVerify: true}
	settings.VerifyConnection = func(state tls.ConnectionState) error {
		between := x509.NewCertPool()
		for _, certificate := range state.PeerCertificates[1:] {
			between.AddCert(certificate)
		}
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: trusted, Intermediates: between})
		return err
	}
	transport := &http.Transport{TLSClientConfig: settings}
	return askTwice(&http.Client{Transport: transport, Timeout: 3 * time.Second}, method, url)
}
