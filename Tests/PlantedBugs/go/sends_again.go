package main

import (
	"net/http"
	"time"
)

// Bug: where the connection broke or nobody answered in time the request is sent again, whatever its method
// is. Nobody knows then whether the first payment was made.
func sendsAgain(method, url string) ([]byte, error) {
	client := &http.Client{Timeout: 2 * time.Second}
	end := time.Now().Add(overall)
	for attempt := 0; ; attempt++ {
		request, err := request(method, url)
		if err != nil {
			return nil, err
		}
		answer, err := client.Do(request)
		if err == nil {
			return read(answer)
		}
		if attempt == 2 || !wait(pause(attempt), end) {
			return nil, err
		}
	}
}
