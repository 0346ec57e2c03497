#!/bin/sh
# Bug: --speed-time ends a transfer that stands still. A byte a second is no standstill, and --max-time is
# missing.
exec curl --silent --show-error --fail --connect-timeout 2 --speed-limit 1 --speed-time 4 \
  --header 'Accept: application/json' "$1"
