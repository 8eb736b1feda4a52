#!/bin/sh
# check-called.sh NAMES FOLDER: the C files in FOLDER call every function named in the file NAMES.
missing=0
while read -r name; do
    if ! grep -q "\b$name(" "$2"/*.c; then
        echo "$name is called by no test" >&2
        missing=1
    fi
done <"$1"
[ $missing = 0 ] && echo "$(wc -l <"$1") functions, each called"
exit $missing
