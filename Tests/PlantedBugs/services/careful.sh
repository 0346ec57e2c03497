#!/bin/bash
# A careful client that lives: a call a line comes in, an answer a line goes out. curl limits an attempt and its
# retries and keeps to Retry-After; a POST goes out once.
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
while read -r line; do
  eval "$(jq -r '@sh "call=\(.call // "") method=\(.method) url=\(.url) body=\(.body // "")"' <<<"$line")"
  [ "$call" ] || continue
  words=(--silent --fail --max-time 3 --retry-max-time 6 --header 'Accept: application/json')
  [ "$method" = GET ] && words+=(--retry 2)
  [ "$body" ] && words+=(--header 'Content-Type: application/json' --data-binary "$body")
  : >"$answer"
  came=$(curl "${words[@]}" --request "$method" --output "$answer" \
    --write-out '%{http_code} %{content_type}' "$url") && ok=true || ok=false
  status=${came%% *}
  [[ $came == *json* ]] || ok=false
  jq -cn --argjson call "$call" --argjson ok $ok --arg error "status $status" --rawfile shown "$answer" \
    'if $ok then {$call, $ok, $shown} else {$call, $ok, $error} end'
done
