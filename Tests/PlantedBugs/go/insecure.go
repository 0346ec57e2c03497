package main

import (
	"crypto/tls"
	"net/http"
	"time"
)

// Bug: InsecureSkipVerify, since the test server's certificate is its own.
func insecure(method, url string) ([]byte, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return askTwice(&http.Client{Transport: transport, Timeout: 3 * time.Second}, method, url)
}
