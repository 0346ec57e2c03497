# Bug: the nearest server is asked without a probe, so that another's in its place is believed.
curl --silent --show-error --fail --max-time 5 --retry 1 "$1"
