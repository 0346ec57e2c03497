set -e
ip link set dev lo up
unshare -n sleep 600 & phone=$!
unshare -n sleep 600 & server=$!
trap 'kill $phone $server $serve $loop $far 2> /dev/null' EXIT
own=$(readlink /proc/self/ns/net)
for process in $phone $server; do
  while [ "$(readlink /proc/$process/ns/net)" = "$own" ]; do kill -0 $process; done
done
ip link add p type veth peer name q netns $phone
ip link add s type veth peer name t netns $server
ip addr add 10.77.0.1/24 dev p; ip link set dev p up
ip addr add 10.88.0.1/24 dev s; ip link set dev s up
on() { nsenter --preserve-credentials -n -t "$@"; }
on $phone sh -c 'ip link set dev lo up; ip addr add 10.77.0.2/24 dev q; ip link set dev q up'
on $server sh -c '
  ip link set dev lo up; ip addr add 10.88.0.2/24 dev t; ip addr add 8.8.4.4/32 dev t; ip link set dev t up
'
ip route add 8.8.4.4 via 10.88.0.2
listens() { until [ -s $1 ]; do kill -0 $2 || exit 3; sleep 0.05; done; }
"$1" serve --cassette tape.json --bind 10.77.0.1 > own 2> own.err & serve=$!
"$1" serve --cassette tape.json > loop 2> loop.err & loop=$!
# Behind the function the shell's own child would be ended, and the server not.
nsenter --preserve-credentials -n -t $server "$1" serve --cassette tape.json --bind 0.0.0.0   --port 80 --allow-origin http://8.8.4.4 > far 2> far.err & far=$!
listens own $serve; listens loop $loop; listens far $far
"$1" proxy --lan --bind 10.77.0.1 --admin-port 0 --report flight.json $2 > ready 2> told & proxy=$!
until [ "$(wc -l < ready)" = 2 ]; do kill -0 $proxy || exit 3; sleep 0.05; done
on $phone env CODE="$(sed -n 's/.*the code \([0-9]*\).*/\1/p' told)" python3 ask.py   "$(sed -n 1p ready)" "$(sed -n 2p ready)" "$(cat own)" "$(cat loop)" > asked 2>&1 || true
kill -INT $proxy; wait $proxy
