package main

import (
	"io"
	"time"
)

// Bug: Do returns an error only where no answer came. A 503 is an answer like any other to it, and nobody
// looks at StatusCode.
func noStatus(method, url string) ([]byte, error) {
	end := time.Now().Add(overall)
	for attempt := 0; ; attempt++ {
		asked, err := request("GET", url)
		if err != nil {
			return nil, err
		}
		answer, err := impatient.Do(asked)
		if err != nil {
			if attempt < 3 && wait(pause(attempt), end) {
				continue
			}
			return nil, err
		}
		defer answer.Body.Close()
		return io.ReadAll(answer.Body)
	}
}
