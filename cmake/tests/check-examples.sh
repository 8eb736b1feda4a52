#!/bin/sh
# check-examples.sh CLIENT OBJECTS FOLLOW: runs the examples on a database that the test program CLIENT leaves behind.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
database=$folder/objects
check() {
    expected=$1
    shift
    given=$("$@" </dev/null) || { echo "$* failed" >&2; exit 1; }
    case $given in
        *"$expected"*) ;;
        *) echo "$* says '$given', not '$expected'" >&2; exit 1 ;;
    esac
}
"$1" "$folder" >/dev/null || exit 1
check 1000 "$2" "$database" count Person
check 7777 "$2" "$database" add Person id=7777 name=Zoe boss=5
check 'name: Zoe' "$2" "$database" get Person 7777
check 'Person: 1001' "$3" "$database"
if "$2" "$database" add Person id=7777 2>/dev/null; then
    echo "a second person with one key was added" >&2
    exit 1
fi
