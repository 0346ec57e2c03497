#!/bin/sh
# Bug: --insecure was put in for a test server, and stayed in.
exec curl --silent --show-error --fail --insecure --connect-timeout 2 --max-time 3 --retry 2 \
  --retry-max-time 6 --header 'Accept: application/json' "$1"
