#!/bin/sh
# check-install.sh CMAKE BUILD CONSUMER: installs the build into a new folder, moves that folder, and builds and runs a
# program against it twice: by find_package, and by pkg-config where there is one.
set -e
cmake=$1 build=$2 consumer=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/moved"
"$cmake" -S "$consumer" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/moved" >/dev/null
"$cmake" --build "$folder/build" >/dev/null
"$folder/build/consumer"
if command -v pkg-config >/dev/null; then
    pc=$(dirname "$(find "$folder/moved" -name freehold.pc)")
    flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs freehold)
    # Word splitting is what pkg-config's answer is made for.
    cc "$consumer/main.c" $flags -o "$folder/by-pkg-config"
    LD_LIBRARY_PATH=$(find "$folder/moved" -name libfreehold.so -exec dirname {} \;) "$folder/by-pkg-config"
fi
