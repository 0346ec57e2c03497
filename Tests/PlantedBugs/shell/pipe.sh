#!/bin/sh
# Bug: a pipe ends with what its last command says. curl knows that the body broke off, sed does not, and the
# script prints what it got and ends with 0.
set -eu
curl --silent --show-error --fail --connect-timeout 2 --max-time 3 --retry 2 --retry-max-time 6 \
  --header 'Accept: application/json' "$1" | sed 's/\r$//'
