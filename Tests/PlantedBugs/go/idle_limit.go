package main

import (
	"net"
	"net/http"
	"time"
)

// idle gives each read of its own three seconds.
type idle struct{ net.Conn }

func (connection idle) Read(bytes []byte) (int, error) {
	if err := connection.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
		return 0, err
	}
	return connection.Conn.Read(bytes)
}

// Bug: each read has a limit and the whole call has none, so a byte a second keeps it going.
func idleLimit(method, url string) ([]byte, error) {
	transport := &http.Transport{Dial: func(network, address string) (net.Conn, error) {
		connection, err := net.DialTimeout(network, address, 3*time.Second)
		return idle{connection}, err
	}}
	return askTwice(&http.Client{Transport: transport}, method, url)
}
