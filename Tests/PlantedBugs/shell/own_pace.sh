#!/bin/sh
# Bug: the loop looks at the status and never at the fields, so Retry-After is not heard and the next attempt
# comes after the script's own pause.
set -eu
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
for pause in 0.2 0.4 ''; do
  status=$(curl --silent --show-error --max-time 3 --output "$answer" --write-out '%{http_code}' "$1") ||
    status=000
  case $status in
  2*) exec cat "$answer" ;;
  429 | 502 | 503 | 504 | 000) ;;
  *) break ;;
  esac
  [ -z "$pause" ] || sleep "$pause$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"
done
echo "$1: status $status" >&2
exit 1
