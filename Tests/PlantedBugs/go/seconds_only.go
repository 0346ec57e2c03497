package main

import (
	"strconv"
	"time"
)

// Bug: Retry-After is read as a number of seconds alone. A server that names a date instead is asked again
// after the client's own back-off.
func secondsOnly(method, url string) ([]byte, error) {
	end := time.Now().Add(overall)
	for attempt := 0; ; attempt++ {
		request, err := request("GET", url)
		if err != nil {
			return nil, err
		}
		length := pause(attempt)
		answer, err := impatient.Do(request)
		if err == nil {
			var body []byte
			if body, err = read(answer); err == nil || !maySucceed(answer.StatusCode) {
				return body, err
			}
			if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
				length = time.Duration(seconds) * time.Second
			}
		}
		if attempt == 3 || !wait(length, end) {
			return nil, err
		}
	}
}
