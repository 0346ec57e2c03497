#!/bin/sh
# Bug: curl knows a password for what it is, and no key of an API: --location sends that along in the clear.
exec curl --silent --show-error --fail --location --header 'X-Api-Key: planted-4711' --connect-timeout 2 \
  --max-time 3 --header 'Accept: application/json' "$1"
