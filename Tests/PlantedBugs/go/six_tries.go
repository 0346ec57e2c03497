package main

import (
	"math/rand"
	"time"
)

// Bug: six attempts to each call. One client may do that; a thousand of them send a server that is down six
// times what it could not bear before.
func sixTries(method, url string) ([]byte, error) {
	end := time.Now().Add(overall)
	for attempt := 1; ; attempt++ {
		request, err := request("GET", url)
		if err != nil {
			return nil, err
		}
		length := time.Duration(200+100*attempt+rand.Intn(200)) * time.Millisecond
		answer, err := impatient.Do(request)
		if err == nil {
			var body []byte
			if body, err = read(answer); err == nil || !maySucceed(answer.StatusCode) {
				return body, err
			}
			if asked(answer.Header) > 0 {
				length = asked(answer.Header)
			}
		}
		if attempt == 6 || !wait(length, end) {
			return nil, err
		}
	}
}
