package main

import (
	"fmt"
	"time"
)

// Bug: what is retried is decided by whether there was an error, not by which one: a 404 is asked for four
// times like a 503.
func allOrNothing(method, url string) ([]byte, error) {
	end := time.Now().Add(overall)
	for attempt := 0; ; attempt++ {
		request, err := request("GET", url)
		if err != nil {
			return nil, err
		}
		length := pause(attempt)
		answer, err := impatient.Do(request)
		if err == nil {
			body, problem := read(answer)
			if problem == nil {
				return body, nil
			}
			if asked(answer.Header) > 0 {
				length = asked(answer.Header)
			}
			err = fmt.Errorf("%s: %w", url, problem)
		}
		if attempt == 3 || !wait(length, end) {
			return nil, err
		}
	}
}
