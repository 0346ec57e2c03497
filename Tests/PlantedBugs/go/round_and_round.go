package main

import (
	"net/http"
	"time"
)

// Bug: CheckRedirect was written to log each redirect, and took the limit of ten away with it.
func roundAndRound(method, url string) ([]byte, error) {
	follow := func(*http.Request, []*http.Request) error { return nil }
	return askTwice(&http.Client{CheckRedirect: follow, Timeout: 3 * time.Second}, method, url)
}
