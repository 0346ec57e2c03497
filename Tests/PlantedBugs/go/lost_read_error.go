package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Bug: the error of io.ReadAll is thrown away, as if only opening a connection could fail. What came before
// the connection broke is taken for the whole body.
func lostReadError(method, url string) ([]byte, error) {
	end := time.Now().Add(overall)
	for attempt := 0; ; attempt++ {
		request, err := request("GET", url)
		if err != nil {
			return nil, err
		}
		answer, err := impatient.Do(request)
		length := pause(attempt)
		if err == nil {
			body, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode < 300 && strings.Contains(answer.Header.Get("Content-Type"), "json") {
				return body, nil
			}
			err = fmt.Errorf("%s and no JSON", answer.Status)
			if !maySucceed(answer.StatusCode) {
				return nil, err
			}
			if asked(answer.Header) > 0 {
				length = asked(answer.Header)
			}
		}
		if attempt == 3 || !wait(length, end) {
			return nil, err
		}
	}
}
