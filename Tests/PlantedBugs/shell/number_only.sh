#!/bin/sh
# Bug: Retry-After goes to sleep as it is. A date is no number, sleep says so, and the loop goes on at once.
set -u
answer=$(mktemp) fields=$(mktemp)
trap 'rm -f "$answer" "$fields"' EXIT
for attempt in 1 2 3; do
  status=$(curl --silent --fail --max-time 3 --dump-header "$fields" --output "$answer" \
    --write-out '%{http_code}' "$1") && exec cat "$answer"
  wait=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([^\r]*\)\r*$/\1/p' "$fields")
  case $status+$wait in
  *+????) exit 1 ;; # An hour or so: nobody waits for that.
  429+* | 50[234]+*) ;;
  *) exit 1 ;;
  esac
  [ "$attempt" = 3 ] || sleep "${wait:-1.$$}" 2>/dev/null
done
exit 1
