package main

// What most of the clients have in common, and what is right about it.

import (
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// impatient limits each attempt by itself.
var impatient = &http.Client{Timeout: 3 * time.Second}

// errNoJSON is met where something stands between the client and its server, such as a portal.
var errNoJSON = errors.New("no JSON")

func init() { rand.Seed(time.Now().UnixNano()) }

// request is what is asked for: JSON, and with what the caller has to send.
func request(method, url string) (*http.Request, error) {
	var body io.Reader
	if method != http.MethodGet && method != http.MethodHead {
		body = strings.NewReader(os.Getenv("WINDTUNNEL_BODY"))
	}
	asked, err := http.NewRequest(method, url, body)
	if err != nil {
		return nil, err
	}
	asked.Header.Set("Accept", "application/json")
	if body != nil {
		asked.Header.Set("Content-Type", "application/json")
	}
	return asked, nil
}

// read takes an answer whole, or says what is wrong with it.
func read(answer *http.Response) ([]byte, error) {
	defer answer.Body.Close()
	if answer.StatusCode >= 400 {
		return nil, fmt.Errorf("status %d", answer.StatusCode)
	}
	if kind := answer.Header.Get("Content-Type"); !strings.Contains(kind, "json") {
		return nil, fmt.Errorf("%w but %q", errNoJSON, kind)
	}
	return io.ReadAll(answer.Body)
}

// maySucceed tells whether the same request may be answered better a little later.
func maySucceed(status int) bool {
	return status == 429 || status == 502 || status == 503 || status == 504
}

// pause doubles its bound with each attempt and draws the wait below it.
func pause(attempt int) time.Duration {
	bound := 300 * time.Millisecond << attempt
	return 100*time.Millisecond + time.Duration(rand.Int63n(int64(bound)))
}

// asked is the wait that a server asks for, in seconds or until a date; 0 where it asks for none.
func asked(fields http.Header) time.Duration {
	const longest = 24 * time.Hour
	field := fields.Get("Retry-After")
	seconds, err := strconv.Atoi(field)
	if errors.Is(err, strconv.ErrRange) || seconds > int(longest/time.Second) {
		return longest
	}
	if err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(field); err == nil {
		return time.Until(date) + time.Second
	}
	return 0
}

// wait sleeps before the next attempt, unless the call would be over by then.
func wait(length time.Duration, end time.Time) bool {
	if time.Until(end) < length+500*time.Millisecond {
		return false
	}
	time.Sleep(length)
	return true
}

// askTwice makes an attempt and, where a GET met what may pass, another one after a pause.
func askTwice(client *http.Client, method, url string) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		asked, err := request(method, url)
		if err != nil {
			return nil, err
		}
		answer, err := client.Do(asked)
		if err != nil {
			return nil, err
		}
		body, err := read(answer)
		isPassing := maySucceed(answer.StatusCode) && answer.Header.Get("Retry-After") == ""
		if err == nil || attempt == 1 || method != http.MethodGet || !isPassing {
			return body, err
		}
		time.Sleep(pause(attempt))
	}
}
