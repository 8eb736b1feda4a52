#!/bin/sh
# check-needed.sh LIBRARY: it needs the C and C++ run-time libraries and nothing else, so it runs where no Swift is.
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "$needed"
other=$(echo "$needed" | grep -vE '^(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|ld-linux[^.]*)\.so')
if [ -n "$other" ]; then
    echo "It needs more than the C and C++ run-time libraries: $other" >&2
    exit 1
fi
