#!/bin/sh
# check-size.sh LIBRARY KILOBYTES: stripped, the library takes no more than that many thousand bytes, and has nothing of
# Swift's regular expressions: a single String.contains(String) links 1.4 MB of them.
stripped=$(mktemp) || exit 1
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1" || exit 1
bytes=$(stat -c %s "$stripped")
echo "$bytes bytes stripped, at most $2 thousand"
expressions=$(nm "$1" | grep -c '17_StringProcessing')
echo "$expressions symbols of the module _StringProcessing, none allowed"
[ "$bytes" -le "$(($2 * 1000))" ] && [ "$expressions" -eq 0 ]
