#!/usr/bin/env bash
# A newcomer's run: the repository goes in; the README's first block is run, word for word, in a
# fresh clone with a fresh environment; seconds come out.
#
#   bash tools/newcomer.sh            the last commit, downloads from the configured index
#   PIP_NO_CACHE_DIR=1 bash tools/newcomer.sh      without pip's cache, as on a new machine
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The commands: the first sh block below the heading "Start".
commands=$(awk '/^## Start/ {found = 1} found && /^```$/ {exit} inside {print} found && /^```sh/ {inside = 1}' "$root/README.md")
test -n "$commands" || { echo "the README has no block to run" >&2; exit 1; }

git clone --quiet --no-hardlinks "$root" "$place/symbed"
cd "$place/symbed"
echo "$commands"
echo "--"
began=$SECONDS
TIMEFORMAT='%R seconds by the clock, %U + %S of the processor'
time bash -euo pipefail -c "$commands" 2>&1 | tail -n 6
test -s picture.png || { echo "no picture was drawn" >&2; exit 1; }
test -s run.csv || { echo "no run was scored" >&2; exit 1; }
seconds=$((SECONDS - began))
echo "a picture and a scored run after $seconds seconds; the goal is under 300"
test "$seconds" -lt 300
