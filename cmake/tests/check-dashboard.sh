#!/bin/sh
# check-dashboard.sh DASHBOARD PYTHON REPOSITORY LIBRARY: the C++ example tells what the Python example has measured.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
FREEHOLD_LIBRARY=$4 PYTHONPATH=$3/bindings/python/src "$2" -B "$3/Examples/python/sensors.py" "$folder/sensors" || exit 1
told=$("$1" "$folder/sensors") || exit 1
echo "$told"
for expected in "cellar: 24 samples, mean 12.875, highest 15.75" "kitchen: 24 samples" "warmest of all: 23.75"; do
    case $told in
        *"$expected"*) ;;
        *) echo "it does not tell '$expected'" >&2; exit 1 ;;
    esac
done
