# Functions of the scripts that run a drill. Source it: . "$(dirname "$0")/ci/functions.sh"

# Prints the path of the tool: WINDTUNNEL, then the one in PATH, then the one that this clone has built. If there is
# none, it builds one.
windtunnel_binary() {
  local clone binary
  if [[ -n ${WINDTUNNEL-} ]]; then
    binary=$(command -v "$WINDTUNNEL") || {
      echo "WINDTUNNEL is $WINDTUNNEL, which is no program. Set it to the path of a windtunnel, or unset it." >&2
      return 69
    }
    echo "$binary"
    return
  fi
  if command -v windtunnel; then return; fi
  clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  for binary in "$clone"/.build/{release,debug}/windtunnel; do
    if [[ -x $binary ]]; then
      echo "$binary"
      return
    fi
  done
  if ! command -v swift >/dev/null; then
    echo "There is no windtunnel in PATH and no Swift to build one. Set WINDTUNNEL to the path of a binary." >&2
    return 69
  fi
  echo "Building windtunnel, which takes some minutes …" >&2
  swift build -c release --package-path "$clone" --product windtunnel >&2 &&
    echo "$(swift build -c release --package-path "$clone" --show-bin-path)/windtunnel"
}

# Whether a flag is among words, before the `--` of a client.
given() { # FLAG WORD …
  local flag=$1 word
  shift
  for word; do
    if [[ $word == -- ]]; then return 1; fi
    if [[ $word == "$flag" || $word == "$flag="* ]]; then return 0; fi
  done
  return 1
}

# Ends the script unless words, or a plan file such as windtunnel.json in this folder, name a client.
need_client() { # WORD …
  if [[ " $* " == *" -- "* || -f windtunnel.json ]] || given --subject "$@" || given --plan "$@"; then return; fi
  echo "No client to judge. Add -- ./my-client {url}, or --subject network-layer for the client of WindTunnel." >&2
  exit 64
}

# Runs a program of a root inside it: it sees no file outside, and no other process.
inside() { # ROOT PROGRAM …
  local root=$1 enter=(unshare --mount --pid --fork)
  shift
  if [[ $(id -u) != 0 ]]; then enter+=(--map-root-user); fi
  "${enter[@]}" bash -euc '
    mount -t proc proc "$1/proc"
    for device in null urandom; do
      touch "$1/dev/$device"
      mount --bind "/dev/$device" "$1/dev/$device"
    done
    root=$1; shift
    exec env -i HOME=/tmp PATH=/nowhere "$(command -v chroot)" "$root" "$@"
  ' bash "$root" "$@"
}
