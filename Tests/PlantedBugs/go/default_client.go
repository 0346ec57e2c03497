package main

import "net/http"

// Bug: http.Get uses http.DefaultClient, and that has no time-out: a server that takes the request and says
// nothing is waited for until somebody ends the process.
func defaultClient(method, url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	return read(answer)
}
