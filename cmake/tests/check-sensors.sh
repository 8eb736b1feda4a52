#!/bin/sh
# check-sensors.sh LOGGER DASHBOARD PYTHON REPOSITORY LIBRARY: while the C example logs, the C++ and the Python example show what it has logged.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/measured" "$folder/logged" || exit 1
fail() {
    echo "$1" >&2
    cat "$folder/dashboard" "$folder/notebook" >&2
    exit 1
}

timeout 120 "$1" "$folder/sensors" porch-1 porch <"$folder/measured" >"$folder/logged" &
logger=$!
exec 3>"$folder/measured" 4<"$folder/logged"
echo 18.5 >&3
read -r number <&4
[ "$number" = 1 ] || fail "the logger says '$number'"
timeout 120 "$2" "$folder/sensors" 4 >"$folder/dashboard" &
dashboard=$!
FREEHOLD_LIBRARY=$5 PYTHONPATH=$4/bindings/python/src timeout 120 "$3" -B "$4/Examples/python/notebook.py" "$folder/sensors" 4 >"$folder/notebook" &
notebook=$!
for celsius in 19.5 21 17; do
    echo "$celsius" >&3
    read -r number <&4
done
exec 3>&-
wait "$logger" || fail "the logger failed"
wait "$dashboard" || fail "the dashboard failed"
wait "$notebook" || fail "the notebook failed"
[ "$number" = 4 ] || fail "the logger has logged $number samples"
grep -q '^porch: 4 samples, mean 19, highest 21$' "$folder/dashboard" || fail "the dashboard does not show all samples"
grep -q '^porch: 4 samples, 21.0 degrees at most$' "$folder/notebook" || fail "the notebook does not show all places"
grep -q '^4 samples, 19.00 degrees on average$' "$folder/notebook" || fail "the notebook does not show the mean"
