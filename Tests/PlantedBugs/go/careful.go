package main

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"time"
)

// A careful client: it limits each attempt and the whole call, repeats idempotent methods alone with full
// jitter, keeps to Retry-After, and takes nothing for JSON that is none.
func careful(method, url string) ([]byte, error) {
	end := time.Now().Add(overall)
	limit, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	for attempt := 0; ; attempt++ {
		body, answer, problem := once(limit, method, url)
		if problem == nil {
			return body, nil
		}
		isLasting := answer != nil && answer.StatusCode >= 300 && !maySucceed(answer.StatusCode)
		isLasting = isLasting || isOfCertificate(problem) || errors.Is(problem, errNoJSON)
		if attempt == 3 || isLasting || !isIdempotent(method) {
			return nil, problem
		}
		length := pause(attempt)
		if answer != nil && asked(answer.Header) > 0 {
			length = asked(answer.Header)
		}
		if !wait(length, end) {
			return nil, problem
		}
	}
}

// once makes one attempt. Where a body broke off there is a part of it beside the error.
func once(limit context.Context, method, url string) ([]byte, *http.Response, error) {
	asked, err := request(method, url)
	if err != nil {
		return nil, nil, err
	}
	answer, err := impatient.Do(asked.WithContext(limit))
	if err != nil {
		return nil, nil, err
	}
	body, err := read(answer)
	return body, answer, err
}

func isIdempotent(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

// isOfCertificate tells whether it is the server's certificate that does not hold.
func isOfCertificate(problem error) bool {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var other x509.CertificateInvalidError
	return errors.As(problem, &authority) || errors.As(problem, &host) || errors.As(problem, &other)
}
