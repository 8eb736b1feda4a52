#!/bin/sh
# check-install.sh CMAKE BUILD CONSUMER GENERATOR COMPILER: installs the build into a new folder, moves that folder, and builds and runs programs
# against it, in C, and in C++ if the name of a compiler of that is not empty: by find_package and, where there is one, by pkg-config; with the
# shared library and with the static one.
set -e
cmake=$1 build=$2 consumer=$3 generator=$4 cpp=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0
run() {
    number=$((number + 1))
    echo "$(basename "$1"): $("$1" "$folder/notes$number")"
}
# A program with the static library has everything in it.
run_alone() {
    if readelf -d "$1" | grep -q 'NEEDED.*freehold'; then
        echo "$1 needs the shared library" >&2
        exit 1
    fi
    run "$1"
}
"$cmake" --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/moved"
"$cmake" -G "$generator" -S "$consumer" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/moved" ${cpp:+"-DCMAKE_CXX_COMPILER=$cpp"} >/dev/null
"$cmake" --build "$folder/build" >/dev/null
run "$folder/build/consumer"
run_alone "$folder/build/static_consumer"
if [ -n "$cpp" ]; then
    run "$folder/build/cpp_consumer"
    run_alone "$folder/build/static_cpp_consumer"
fi
if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$(dirname "$(find "$folder/moved" -name freehold.pc)")
    export PKG_CONFIG_PATH
    libraries=$(pkg-config --variable=libdir freehold)
    # Word splitting is what pkg-config's answer is made for.
    cc "$consumer/main.c" $(pkg-config --cflags --libs freehold) -o "$folder/by_pkg_config"
    LD_LIBRARY_PATH=$libraries run "$folder/by_pkg_config"
    # As for every library that has both: the linker is told which one is meant.
    cc "$consumer/main.c" $(pkg-config --cflags --libs --static freehold | sed 's/-lfreehold/-l:libfreehold.a/') -o "$folder/static_by_pkg_config"
    run_alone "$folder/static_by_pkg_config"
    if [ -n "$cpp" ]; then
        "$cpp" -std=c++17 -Wall -Wextra -Wpedantic -Werror "$consumer/main.cpp" $(pkg-config --cflags --libs freehold) -o "$folder/cpp_by_pkg_config"
        LD_LIBRARY_PATH=$libraries run "$folder/cpp_by_pkg_config"
    fi
fi
