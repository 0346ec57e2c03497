#!/bin/sh
# Bug: --max-redirs -1: fifty redirects were once too few, and now there is no bound.
exec curl --silent --show-error --fail --location --max-redirs -1 --connect-timeout 2 --max-time 4 \
  --header 'Accept: application/json' "$1"
