package main

import (
	"net/http"
	"time"
)

// Bug: Go leaves Authorization out when a redirect leads to another host, and CheckRedirect puts it back in.
func tellsTheNext(method, url string) ([]byte, error) {
	keep := func(next *http.Request, before []*http.Request) error {
		next.Header = before[0].Header
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
