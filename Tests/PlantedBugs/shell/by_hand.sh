#!/bin/bash
# Bug: HTTP by hand: whatever comes first is the answer, be it a 103 before it.
set -eu
[ "${LIMITED-}" ] || LIMITED=1 exec timeout 8 bash "$0" "$@"
rest=${1#http://}
[ "$rest" != "$1" ] || exit 1
place=${rest%%/*}
exec 3<>"/dev/tcp/${place%:*}/${place#*:}"
printf 'GET /%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "${rest#*/}" "$place" >&3
read -r -t 3 _ status _ <&3
[ "$status" = 200 ] || exit 1
length=''
while IFS=': ' read -r -t 3 name value <&3 && [ "$name" != $'\r' ]; do
  case ${name,,} in content-length) length=${value%$'\r'} ;; esac
done
body=$(timeout 3 head -c "${length:?}" <&3)
[ "${#body}" = "$length" ] && printf '%s' "$body"
