package main

import (
	"net"
	"net/http"
	"time"
)

// Bug: the limits are to connecting and to the head alone: a body may stop and never go on.
func headLimit(method, url string) ([]byte, error) {
	transport := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 3 * time.Second}).DialContext,
		TLSHandshakeTimeout:   3 * time.Second,
		ResponseHeaderTimeout: 3 * time.Second,
	}
	return askTwice(&http.Client{Transport: transport}, method, url)
}
