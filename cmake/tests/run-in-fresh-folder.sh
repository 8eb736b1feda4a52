#!/bin/sh
# run-in-fresh-folder.sh PROGRAM: runs it with a new, empty folder as its only argument, and removes the folder.
# FREEHOLD_TEST_WRAPPER may hold a command to run it under (valgrind …).
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
$FREEHOLD_TEST_WRAPPER "$1" "$folder"
