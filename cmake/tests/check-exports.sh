#!/bin/sh
# check-exports.sh LIBRARY NAMES: what the library, shared or static, lets others see is what the file NAMES names, one a line and sorted.
found=$(mktemp) || exit 1
trap 'rm -f "$found"' EXIT
case $1 in
    *.a) kind=--extern-only ;;
    *) kind=--dynamic ;;
esac
nm $kind --defined-only "$1" | awk '$2 ~ /[TVWDBR]/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u >"$found"
if LC_ALL=C sort -u "$2" | diff - "$found"; then
    echo "$(wc -l <"$found") names, as the header declares"
else
    echo "'<' is declared in the header but not exported, '>' is exported but not declared" >&2
    exit 1
fi
