#!/bin/sh
# check-generator.sh CMAKE SOURCE SCRATCH CONFIGURATION GENERATOR: the library is built with this generator too, and its C program passes. What
# Swift compiles is shared, so it is compiled once. Exit 77: there is no such build tool.
set -e
cmake=$1 source=$2 scratch=$3 configuration=$4 generator=$5
case $generator in
    Ninja) tool=ninja ;;
    *) tool=make ;;
esac
if ! command -v "$tool" >/dev/null; then
    echo "skipped: there is no $tool"
    exit 77
fi
# What valgrind has to say, it says of the first build.
unset FREEHOLD_TEST_WRAPPER
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" -G "$generator" -S "$source" -B "$folder/build" -DCMAKE_BUILD_TYPE="$configuration" -DFREEHOLD_SCRATCH="$scratch" >/dev/null
"$cmake" --build "$folder/build" >"$folder/log" 2>&1 || { tail -n 40 "$folder/log"; exit 1; }
"$(dirname "$cmake")/ctest" --test-dir "$folder/build" --output-on-failure --no-tests=error -R '^(c_client|c_client_static|exported_names|static_names)$'
"$cmake" --build "$folder/build" >"$folder/log" 2>&1 || { tail -n 40 "$folder/log"; exit 1; }
echo "built with $generator, and once more with nothing to do"
