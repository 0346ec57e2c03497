package main

import (
	"net/http"
	"time"
)

// Bug: Authorization goes along to the same host, and CheckRedirect asks nobody for the scheme.
func sameHost(method, url string) ([]byte, error) {
	keep := func(next *http.Request, before []*http.Request) error {
		if next.URL.Hostname() == before[0].URL.Hostname() {
			next.Header = before[0].Header
		}
		if len(before) > 9 {
			return http.ErrUseLastResponse
		}
		return nil
	}
	asked, err := request(method, url)
	if err != nil {
		return nil, err
	}
	asked.Header.Set("Authorization", "Bearer planted-4711")
	answer, err := (&http.Client{CheckRedirect: keep, Timeout: 3 * time.Second}).Do(asked)
	if err != nil {
		return nil, err
	}
	return read(answer)
}
