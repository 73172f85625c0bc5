#!/usr/bin/env bash
# The ordinary tests as strangers first meet them: `tests/fresh.sh 10` clones the last commit ten times into empty
# folders and runs `make test` in each, with an empty HOME, in the background (so Ctrl-C is ignored and there is no
# terminal and no input), while every core is kept busy: by loops, or (`tests/fresh.sh 10 2`) by another such run
# at the same time. Prints "10 of 10 green".
set -u

runs=${1:-1}
at_once=${2:-1}
limit=${3:-1800} # seconds for one run
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

if [ "$at_once" = 1 ]; then
    for _ in $(seq "$(nproc)"); do
        (while :; do :; done) &
        started+=($!)
    done
fi

# What `python3` stands for may depend on HOME.
python=$(python3 -c 'import sys; print(sys.executable)')

one() {
    local number=$1 clone=$work/clone$1 home=$work/home$1 log=$work/log$1 began=$SECONDS
    mkdir "$home" && git clone --quiet "$root" "$clone" || return 2
    (
        trap '' INT
        cd "$clone" || exit 2
        unset MAKELEVEL MAKEFLAGS MFLAGS # so that pytest's closing line is the last one
        unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME
        HOME=$home exec timeout --kill-after=10 "$limit" make test "PYTHON=$python" </dev/null >"$log" 2>&1
    ) &
    local run=$!
    trap 'kill "$run"' TERM
    wait "$run"
    local code=$?
    rm -rf "$clone" "$home"
    if [ "$code" = 0 ]; then
        touch "$work/green$number"
        printf '%s of %s: green after %s s: %s\n' "$number" "$runs" "$((SECONDS - began))" "$(tail -n 1 "$log")"
    else
        printf '%s of %s: RED after %s s\n%s\n' "$number" "$runs" "$((SECONDS - began))" "$(tail -n 60 "$log")"
    fi
}

first=${#started[@]}
for number in $(seq "$runs"); do
    one "$number" &
    started+=($!)
    # wait for the oldest while enough are under way
    while [ "$((${#started[@]} - first))" -ge "$at_once" ]; do
        wait "${started[$first]}"
        first=$((first + 1))
    done
done
for pid in "${started[@]:$first}"; do wait "$pid"; done
green=$(find "$work" -name 'green*' | wc -l)
printf '%s of %s green\n' "$green" "$runs"
[ "$green" = "$runs" ]
