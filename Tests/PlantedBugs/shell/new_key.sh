#!/bin/sh
# Bug: each attempt of a payment has an Idempotency-Key of its own, so the server makes it again.
set -eu
ask() {
  curl --silent --show-error --fail --connect-timeout 2 --max-time 3 "$@"
}
case $1 in
GET) ask "$2" ;;
*)
  for pause in 1 2 ''; do
    key=$(od -An -N8 -tx1 /dev/urandom | tr -d ' ')
    ask --request "$1" --header 'Content-Type: application/json' --header "Idempotency-Key: $key" \
      --data-raw "${WINDTUNNEL_BODY-}" "$2" && exit 0
    [ -z "$pause" ] || sleep "$pause"
  done
  exit 1
  ;;
esac
