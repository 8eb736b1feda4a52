#!/bin/sh
# static-library.sh SWIFT OBJECTS NAMES OUTPUT CONFIGURATION: makes the static library OUTPUT of the archive OBJECTS and of what it needs of
# Swift's own libraries, unless it is newer than they are. Of all names only those in the file NAMES can be seen from outside, so that a
# program may have another Swift in it. Of the configuration `release` it has no debug information.
#
# What is left to the program's linker: libstdc++, libm, libpthread, libdl.
set -e
swift=$1 objects=$2 names=$3 output=$4 configuration=$5
if [ -e "$output" ] && [ -z "$(find "$objects" "$names" "$0" -newer "$output")" ]; then exit 0; fi

information=$("$swift" -print-target-info -static-stdlib)
told() { printf '%s\n' "$information" | sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" | head -n 1; }
resources=$(told runtimeResourcePath)
architecture=$(told arch)
tools=$(dirname "$(readlink -f "$(command -v "$swift")")")
linker=$tools/ld.lld
copier=$tools/llvm-objcopy
[ -x "$copier" ] || copier=objcopy
[ "$configuration" = debug ] || strip=--strip-debug

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# What tells the Swift runtime of the types in here; without it a program links, and stops when it begins.
registrar=$resources/linux/$architecture/swiftrt.o
# Sections that C++ has in groups become plain ones: the linker must not take a name that can't be seen for another's.
"$linker" -r --force-group-allocation -o "$folder/whole.o" --whole-archive "$objects" --no-whole-archive "$registrar" \
    -L "$resources/linux" --start-group -lswiftCore -lswift_Concurrency -lswift_StringProcessing -lswift_RegexParser \
    -lswiftSynchronization -lswiftGlibc -lswiftSwiftOnoneSupport --end-group
"$copier" $strip --keep-global-symbols="$names" "$folder/whole.o" "$folder/freehold.o"
ar rcs "$folder/libfreehold.a" "$folder/freehold.o"
mv "$folder/libfreehold.a" "$output"
