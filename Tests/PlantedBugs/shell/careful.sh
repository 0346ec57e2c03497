#!/bin/sh
# A careful client: curl says what failed, limits connecting and the whole call and keeps to Retry-After, and
# what is no JSON is refused. What is not idempotent is sent once. Usage: careful.sh [METHOD] URL
set -eu
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
ask() {
  curl --silent --show-error --fail --connect-timeout 3 --max-time 3 --header 'Accept: application/json' \
    --output "$answer" --write-out '%{content_type}' "$@"
}
[ $# = 2 ] || set -- GET "$1"
case $1 in
GET) kind=$(ask --retry 2 --retry-max-time 6 "$2") ;;
*)
  kind=$(ask --request "$1" --header 'Content-Type: application/json' --data-raw "${WINDTUNNEL_BODY-}" "$2")
  ;;
esac
case $kind in *json*) cat "$answer" ;; *) exit 65 ;; esac
