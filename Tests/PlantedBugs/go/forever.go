package main

import (
	"math/rand"
	"time"
)

// Bug: there is a pause between the attempts and no bound to their number, since the server will be back. As
// long as it is not, the call goes on.
func forever(method, url string) ([]byte, error) {
	for {
		request, err := request("GET", url)
		if err != nil {
			return nil, err
		}
		length := time.Duration(500+rand.Intn(300)) * time.Millisecond
		answer, err := impatient.Do(request)
		if err == nil {
			body, err := read(answer)
			if err == nil || !maySucceed(answer.StatusCode) {
				return body, err
			}
			if asked(answer.Header) > 0 {
				length = asked(answer.Header)
			}
		}
		time.Sleep(length)
	}
}
