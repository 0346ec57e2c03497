package main

import "runtime/debug"

// Bug: Body.Close is deferred before err is looked at. Where no answer came there is no Body, and the process
// dies; like many services it dies by a signal, so that its core can be looked at.
// (go vet points at it.)
func nilResponse(method, url string) ([]byte, error) {
	debug.SetTraceback("crash")
	request, err := request("GET", url)
	if err != nil {
		return nil, err
	}
	answer, err := impatient.Do(request)
	defer answer.Body.Close()
	if err != nil {
		return nil, err
	}
	return read(answer)
}
