#!/usr/bin/env bash
# The ordinary tests as strangers first meet them: `tests/fresh.sh 10` clones the last commit ten times into empty
# folders, one after the other, and runs `make test` in each, with an empty HOME, in the background (so Ctrl-C is
# ignored and there is no terminal and no input), while every core is kept busy. Prints "10 of 10 green".
set -u

runs=${1:-1}
limit=${2:-1800} # seconds for one run
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
started=()

finish() {
    # Only what was started here, by its number.
    for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

for _ in $(seq "$(nproc)"); do
    (while :; do :; done) &
    started+=($!)
done

# What `python3` stands for may depend on HOME.
python=$(python3 -c 'import sys; print(sys.executable)')
green=0
for number in $(seq "$runs"); do
    clone=$work/clone$number home=$work/home$number log=$work/log$number
    mkdir "$home" && git clone --quiet "$root" "$clone" || exit 2
    began=$SECONDS
    (
        trap '' INT
        cd "$clone" || exit 2
        unset MAKELEVEL MAKEFLAGS MFLAGS # so that pytest's closing line is the last one
        unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME
        HOME=$home exec timeout --kill-after=10 "$limit" make test "PYTHON=$python" </dev/null >"$log" 2>&1
    ) &
    run=$!
    started+=("$run")
    if wait "$run"; then
        green=$((green + 1))
        printf '%s of %s: green after %s s: %s\n' "$number" "$runs" "$((SECONDS - began))" "$(tail -n 1 "$log")"
    else
        printf '%s of %s: RED after %s s\n' "$number" "$runs" "$((SECONDS - began))"
        tail -n 60 "$log"
    fi
    rm -rf "$clone" "$home"
done
printf '%s of %s green\n' "$green" "$runs"
[ "$green" = "$runs" ]
