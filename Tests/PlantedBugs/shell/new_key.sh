#!/bin/sh
# Bug: each attempt of a payment has an Idempotency-Key of its own, so the server makes it again.
set -eu
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
ask() {
  curl --silent --show-error --fail --connect-timeout 2 --max-time 3 --output "$answer" "$@"
}
case $1 in
GET) ask "$2" && cat "$answer" ;;
*)
  for pause in 1 2 ''; do
    key=$(od -An -N8 -tx1 /dev/urandom | tr -d ' ')
    head=$(ask --request "$1" --header 'Content-Type: application/json' --header "Idempotency-Key: $key" \
      --data-raw "${WINDTUNNEL_BODY-}" --dump-header - "$2") && cat "$answer" && exit 0
    # A request that is bad stays bad, and who is told when to come again does not wait for it.
    case $head in HTTP/1.1\ 4* | *[Rr]etry-[Aa]fter:*) break ;; esac
    [ -z "$pause" ] || sleep "$pause"
  done
  exit 1
  ;;
esac
