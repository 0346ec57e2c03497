#!/bin/sh
# Bug: --connect-timeout limits connecting alone. A server that takes the request and says nothing is waited
# for without an end; --max-time is missing.
exec curl --silent --show-error --fail --connect-timeout 3 --retry 2 --header 'Accept: application/json' "$1"
