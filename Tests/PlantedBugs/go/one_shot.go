package main

// Bug: one attempt and no other, so that a connection that breaks once in a thousand times is an error that
// the user sees.
func oneShot(method, url string) ([]byte, error) {
	request, err := request("GET", url)
	if err != nil {
		return nil, err
	}
	answer, err := impatient.Do(request)
	if err != nil {
		return nil, err
	}
	return read(answer)
}
