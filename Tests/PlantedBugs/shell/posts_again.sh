#!/bin/sh
# Bug: --retry was put into the one curl line that all requests use. curl calls a 500 transient and sends a
# POST again like a GET.
set -eu
ask() {
  curl --silent --show-error --fail --connect-timeout 2 --max-time 3 --retry 2 --retry-max-time 6 \
    --header 'Accept: application/json' "$@"
}
case $1 in
GET) ask "$2" ;;
*)
  ask --request "$1" --header 'Content-Type: application/json' --data-raw "${WINDTUNNEL_BODY-}" "$2"
  ;;
esac
