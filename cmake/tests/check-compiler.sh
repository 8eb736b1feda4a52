#!/bin/sh
# check-compiler.sh COMPILER FOLDER HEADERS LIBRARY VERSION RUN FLAG…: the test program in FOLDER passes as this compiler makes it with these flags.
# Exit 77: the compiler has not got what the flags ask for.
compiler=$1 sources=$2 headers=$3 library=$4 version=$5 run=$6
shift 6
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
echo 'int main(void) { return 0; }' >"$folder/empty.c"
if ! { "$compiler" "$@" "$folder/empty.c" -o "$folder/empty" && "$folder/empty"; } >"$folder/told" 2>&1; then
    echo "skipped: $compiler makes no program with $*: $(head -n 3 "$folder/told")"
    exit 77
fi
"$compiler" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror "$@" "-DFREEHOLD_BUILT_VERSION=\"$version\"" -I "$headers" "$sources"/*.c \
    "$library" "-Wl,-rpath,$(dirname "$library")" -lpthread -o "$folder/client" || exit 1
# Valgrind and the sanitizer would be in each other's way.
case "$*" in *sanitize*) FREEHOLD_TEST_WRAPPER= ;; esac
sh "$run" "$folder/client"
