package main

import (
	"net/http"
	"time"
)

// Bug: a head of more than five hundred bytes is refused, and a proxy on the way may well add as much.
func smallHead(method, url string) ([]byte, error) {
	transport := &http.Transport{MaxResponseHeaderBytes: 500}
	return askTwice(&http.Client{Transport: transport, Timeout: 3 * time.Second}, method, url)
}
