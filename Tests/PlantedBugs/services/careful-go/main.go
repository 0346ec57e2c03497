// Command careful is a careful client that lives: a call a line comes in, an answer a line goes out. It limits an
// attempt, repeats a GET at most twice with full jitter, keeps to Retry-After, and posts once.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type line struct {
	Call              int
	Method, URL, Body string
	Headers           map[string]string
}

type answer struct {
	Call     int    `json:"call"`
	OK       bool   `json:"ok"`
	Status   int    `json:"status,omitempty"`
	Shown    string `json:"shown,omitempty"`
	Error    string `json:"error,omitempty"`
	Attempts int    `json:"attempts"`
}

var client = http.Client{Timeout: 3 * time.Second}

// once makes one attempt, and says how long to wait before another; 0: there is to be none.
func once(asked line, result *answer) time.Duration {
	request, _ := http.NewRequest(asked.Method, asked.URL, strings.NewReader(asked.Body))
	for name, value := range asked.Headers {
		request.Header.Set(name, value)
	}
	wait := 100*time.Millisecond + time.Duration(rand.Int63n(int64(300*time.Millisecond)<<result.Attempts))
	got, err := client.Do(request)
	if err != nil {
		result.Error = err.Error()
		return wait
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	isJSON := strings.Contains(got.Header.Get("Content-Type"), "json")
	result.Status = got.StatusCode
	switch {
	case err != nil:
		result.Error = err.Error()
		return wait
	case got.StatusCode < 300 && isJSON:
		result.OK, result.Shown, result.Error = true, string(body), ""
		return 0
	case got.StatusCode < 300:
		result.Error = "no JSON"
		return 0
	case got.StatusCode != 429 && got.StatusCode < 502:
		return 0
	}
	field := got.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(field); err == nil {
		return longer(wait, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(field); err == nil {
		return longer(wait, time.Until(date)+time.Second)
	}
	return wait
}

func longer(one, other time.Duration) time.Duration {
	if one > other {
		return one
	}
	return other
}

func main() {
	var out sync.Mutex
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked line
		if json.Unmarshal(lines.Bytes(), &asked) != nil || asked.URL == "" {
			continue
		}
		go func() {
			end := time.Now().Add(8 * time.Second)
			result := answer{Call: asked.Call}
			for result.Attempts < 3 {
				result.Attempts++
				result.Error = ""
				pause := once(asked, &result)
				if pause == 0 || asked.Method != "GET" || time.Now().Add(pause).After(end.Add(-3500*time.Millisecond)) {
					break
				}
				time.Sleep(pause)
			}
			out.Lock()
			defer out.Unlock()
			json.NewEncoder(os.Stdout).Encode(result)
		}()
	}
}
