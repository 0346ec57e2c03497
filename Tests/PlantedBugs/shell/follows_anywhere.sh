#!/bin/sh
# Bug: --location follows a redirect to any place, and what comes from there is printed whatever it is: the
# log-in page of a hotel, too.
exec curl --silent --show-error --fail --location --connect-timeout 2 --max-time 3 --retry 2 \
  --retry-max-time 6 --header 'Accept: application/json' "$1"
