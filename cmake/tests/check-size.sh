#!/bin/sh
# check-size.sh LIBRARY MEGABYTES: stripped, the library takes no more than that many million bytes.
stripped=$(mktemp) || exit 1
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1" || exit 1
bytes=$(stat -c %s "$stripped")
echo "$bytes bytes stripped, at most $2 million"
[ "$bytes" -le "$(($2 * 1000000))" ]
