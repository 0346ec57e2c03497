package main

import (
	"math/rand"
	"time"
)

// Bug: the back-off is worked out in milliseconds and handed to time.Sleep as it is, which counts in
// nanoseconds: the pauses are a millionth of what they should be.
func nanoseconds(method, url string) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		request, err := request("GET", url)
		if err != nil {
			return nil, err
		}
		length := (100 + rand.Intn(300)) << attempt
		answer, err := impatient.Do(request)
		if err == nil {
			var body []byte
			if body, err = read(answer); err == nil {
				return body, nil
			}
			if !maySucceed(answer.StatusCode) {
				return nil, err
			}
			if asked(answer.Header) > 0 {
				return nil, err
			}
		}
		if attempt == 3 {
			return nil, err
		}
		time.Sleep(time.Duration(length))
	}
}
