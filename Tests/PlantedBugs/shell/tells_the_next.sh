#!/bin/sh
# Bug: --location-trusted hands the password on to wherever a redirect leads.
exec curl --silent --show-error --fail --location-trusted --user planted:4711 --connect-timeout 2 \
  --max-time 3 --header 'Accept: application/json' "$1"
