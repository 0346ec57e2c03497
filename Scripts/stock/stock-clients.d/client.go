// Drives one Go HTTP library for all calls of a drill: client LIBRARY
// Each line of standard input is a call, and each line of standard output its result. A library is used at its
// defaults. The check for success is the one of its documentation.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

type line struct {
	Call              int
	Method, URL, Body string
	Headers           map[string]string
}

// The libraries that were compiled in, each with a function that sends a request.
var libraries = map[string]func(*http.Request) (*http.Response, error){
	"net/http": http.DefaultClient.Do,
}

func send(asked line, do func(*http.Request) (*http.Response, error)) map[string]interface{} {
	fail := func(err error) map[string]interface{} {
		return map[string]interface{}{"call": asked.Call, "ok": false, "error": err.Error()}
	}
	var content io.Reader
	if asked.Body != "" {
		content = strings.NewReader(asked.Body)
	}
	request, err := http.NewRequest(asked.Method, asked.URL, content)
	if err != nil {
		return fail(err)
	}
	for name, value := range asked.Headers {
		request.Header.Set(name, value)
	}
	response, err := do(request)
	if err != nil {
		return fail(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fail(err)
	}
	if response.StatusCode > 299 {
		return fail(fmt.Errorf("status %d", response.StatusCode))
	}
	return map[string]interface{}{"call": asked.Call, "ok": true, "status": response.StatusCode, "shown": string(body)}
}

func main() {
	do := libraries[os.Args[1]]
	input, output := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		text, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked line
		if json.Unmarshal(text, &asked) == nil && asked.URL != "" {
			_ = output.Encode(send(asked, do))
		}
	}
}
