#!/bin/sh
# check-size.sh LIBRARY KILOBYTES: stripped, the library takes no more than that many thousand bytes.
stripped=$(mktemp) || exit 1
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1" || exit 1
bytes=$(stat -c %s "$stripped")
echo "$bytes bytes stripped, at most $2 thousand"
[ "$bytes" -le "$(($2 * 1000))" ]
