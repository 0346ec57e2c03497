#!/bin/sh
# Bug: curl --continue-at - asks for the rest of a file, of which there may be another version by then.
file=$(mktemp)
trap 'rm -f "$file"' EXIT
for pause in 0.1 0.3 0; do
  curl --silent --show-error --fail --noproxy '*' --max-time 5 --continue-at - --output "$file" "$1"
  code=$?
  [ "$code" = 0 ] && { cat "$file"; exit; }
  # Only what broke off in its body is taken up.
  [ "$code" = 18 ] || exit "$code"
  sleep "$pause"
done
exit 1
