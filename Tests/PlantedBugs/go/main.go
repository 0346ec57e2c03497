// Command planted holds the clients written in Go: the first argument says which one runs, then come the
// method, which may be left out, and the URL. Each client has a file of its own; only careful has no bug.
package main

import (
	"fmt"
	"os"
	"time"
)

// overall is how long a whole call may take, pauses included.
const overall = 8 * time.Second

var clients = map[string]func(method, url string) ([]byte, error){
	"all_or_nothing":  allOrNothing,
	"any_host":        anyHost,
	"careful":         careful,
	"default_client":  defaultClient,
	"dials_forever":   dialsForever,
	"forever":         forever,
	"head_limit":      headLimit,
	"idle_limit":      idleLimit,
	"insecure":        insecure,
	"logs_only":       logsOnly,
	"lost_read_error": lostReadError,
	"nanoseconds":     nanoseconds,
	"new_key":         newKey,
	"nil_response":    nilResponse,
	"no_status":       noStatus,
	"one_shot":        oneShot,
	"round_and_round": roundAndRound,
	"same_host":       sameHost,
	"seconds_only":    secondsOnly,
	"sends_again":     sendsAgain,
	"six_tries":       sixTries,
	"small_head":      smallHead,
	"tells_the_next":  tellsTheNext,
}

func main() {
	words := os.Args[1:]
	if len(words) == 2 {
		words = []string{words[0], "GET", words[1]}
	}
	if len(words) != 3 || clients[words[0]] == nil {
		fmt.Fprintln(os.Stderr, "usage: planted CLIENT [METHOD] URL")
		os.Exit(64)
	}
	body, err := clients[words[0]](words[1], words[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(body)
}
