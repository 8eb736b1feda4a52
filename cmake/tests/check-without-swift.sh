#!/bin/sh
# check-without-swift.sh PROGRAM LIBRARY SWIFT: the test program passes where no Swift is installed: where an empty folder lies over the Swift
# installation, which needs a mount namespace, and with it root. Exit 77: there can be none here.
program=$1 library=$2 swift=$3
if ldd "$library" | grep -iE 'swift|Foundation|dispatch'; then
    echo "the library needs these of Swift" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
    echo "skipped: hiding the Swift installation needs root, and a system that lets it make mount namespaces"
    exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/empty" "$folder/run"
installed=$(dirname "$(dirname "$(readlink -f "$(command -v "$swift")")")")
unshare --mount sh -c '
    mount --make-rprivate / && for part in "$1"/lib/swift "$1"/lib/swift_static "$1"/bin; do
        if [ -d "$part" ] && [ "$part" != /usr/bin ]; then mount --bind "$2/empty" "$part" || exit 1; fi
    done
    if [ -e "$1/lib/swift/linux" ]; then echo "Swift can still be seen" >&2; exit 1; fi
    exec "$3" "$2/run"' sh "$installed" "$folder" "$program"
