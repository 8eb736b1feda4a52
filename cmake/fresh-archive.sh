#!/bin/sh
# fresh-archive.sh ARCHIVE SOURCES: removes the archive if it has an object of a file that is not in the folder SOURCES any more. SwiftPM
# adds objects to an archive and takes none out, so after a file was renamed or removed two objects would define the same names.
set -e
archive=$1 sources=$2
[ -e "$archive" ] || exit 0
names=$(mktemp)
trap 'rm -f "$names"' EXIT
find "$sources" -type f | sed 's|.*/||' | sort -u > "$names"
if ar t "$archive" | sed 's/\.o$//' | sort -u | comm -23 - "$names" | grep -q .; then rm -f "$archive"; fi
