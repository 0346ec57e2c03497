package main

import (
	"net"
	"net/http"
	"time"
)

// deadlined limits what is done on a connection.
func deadlined(connection net.Conn, err error) (net.Conn, error) {
	if err == nil {
		err = connection.SetDeadline(time.Now().Add(3 * time.Second))
	}
	return connection, err
}

// Bug: the deadline is the connection's own, so there is none until it is there.
func dialsForever(method, url string) ([]byte, error) {
	transport := &http.Transport{Dial: func(network, address string) (net.Conn, error) {
		return deadlined(net.Dial(network, address))
	}}
	return askTwice(&http.Client{Transport: transport}, method, url)
}
