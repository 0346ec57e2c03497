package main

import (
	"math/rand"
	"net/http"
	"strconv"
	"time"
)

// Bug: the Idempotency-Key is drawn for each attempt, so the server takes a retry for another payment.
func newKey(method, url string) ([]byte, error) {
	end := time.Now().Add(overall)
	for attempt := 0; ; attempt++ {
		asked, err := request(method, url)
		if err != nil {
			return nil, err
		}
		if method == http.MethodPost {
			asked.Header.Set("Idempotency-Key", strconv.FormatInt(rand.Int63(), 36))
		}
		answer, err := impatient.Do(asked)
		if err == nil {
			var body []byte
			body, err = read(answer)
			if err == nil || answer.StatusCode < 500 || answer.Header.Get("Retry-After") != "" {
				return body, err
			}
		}
		if attempt == 3 || !wait(pause(attempt), end) {
			return nil, err
		}
	}
}
