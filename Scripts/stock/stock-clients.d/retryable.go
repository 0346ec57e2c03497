package main

import (
	"net/http"

	"github.com/hashicorp/go-retryablehttp"
)

// Adds go-retryablehttp at its defaults.
func init() {
	client := retryablehttp.NewClient()
	client.Logger = nil
	libraries["retryablehttp"] = func(request *http.Request) (*http.Response, error) {
		wrapped, err := retryablehttp.FromRequest(request)
		if err != nil {
			return nil, err
		}
		return client.Do(wrapped)
	}
}
