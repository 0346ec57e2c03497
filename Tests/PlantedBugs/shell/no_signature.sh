# Bug: the configuration is read without a look at its signature, and what stands around it is thrown away.
origin=${1%% *}
version() { LC_ALL=C grep --text --only-matching '"version":[0-9]*' | head -n 1 | tr -d -c 0-9; }
mine=$(curl --silent --fail --max-time 2 "$origin/configuration" | version)
[ -n "$mine" ] || mine=$(version < "$2")
curl --silent --show-error --fail --max-time 5 --header "Configuration-Version: $mine" "$origin/home"
