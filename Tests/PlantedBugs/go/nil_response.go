package main

// Bug: Body.Close is deferred before err is looked at. Where no answer came there is no Body, and the process
// panics.
// (go vet points at it.)
func nilResponse(method, url string) ([]byte, error) {
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
