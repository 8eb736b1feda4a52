# What a fresh machine needs before anything here runs. Sourced by the commands beside it.
#
# need_swift            Swift of at least the version of Package.swift, or the reason why not and exit 2
# need COMMAND PACKAGE  that command; installed with apt as root, else named with the command that installs it
# need_header H PACKAGE the same for a header of a library
# need_library L PACKAGE the same for a shared library
# need_python_package P the same for a package of the system's Python, python3-P in Debian
# install_needs         installs all that was found missing, in one go

minimum_swift=6.1
missing_packages=()

need_swift() {
    local version
    if ! command -v swift >/dev/null; then
        echo "Swift $minimum_swift or later is needed and no 'swift' is on the PATH. Install it: https://www.swift.org/install/linux/" >&2
        exit 2
    fi
    # The first run on a machine may take seconds; its version stands after the word version.
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+(\.[0-9]+)*).*/\1/p' | head -n 1)
    if [ -z "$version" ]; then
        echo "'swift --version' prints no version; is $(command -v swift) a complete toolchain?" >&2
        swift --version 2>&1 | tail -n 5 >&2
        exit 2
    fi
    if [ "$(printf '%s\n' "$minimum_swift" "$version" | sort -V | head -n 1)" != "$minimum_swift" ]; then
        echo "Swift $minimum_swift or later is needed, $(command -v swift) is $version. Install a later one: https://www.swift.org/install/linux/" >&2
        exit 2
    fi
}

need() {
    command -v "$1" >/dev/null || missing_packages+=("$2")
}

need_header() {
    [ -e "/usr/include/$1" ] || compgen -G "/usr/include/*-linux-gnu/$1" >/dev/null || missing_packages+=("$2")
}

# A package of the system's Python, as Debian calls it.
need_python_package() {
    local module=$1
    [ "$1" != venv ] || module=ensurepip
    /usr/bin/python3 -c "import $module" 2>/dev/null || missing_packages+=("python3-$1")
}

need_library() {
    compgen -G "/usr/lib/$1" >/dev/null || compgen -G "/usr/lib/*-linux-gnu/$1" >/dev/null || missing_packages+=("$2")
}

install_needs() {
    [ ${#missing_packages[@]} -gt 0 ] || return 0
    local packages=("${missing_packages[@]}") log
    missing_packages=()
    if ! command -v apt-get >/dev/null; then
        echo "Missing, under Debian's names: ${packages[*]}. Install them with this system's package manager and start again." >&2
        exit 2
    fi
    if [ "$(id -u)" != 0 ]; then
        echo "Missing: ${packages[*]}. Install them and start again:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y ${packages[*]}" >&2
        exit 2
    fi
    echo "Installing ${packages[*]}"
    log=$(mktemp)
    # A list of packages from before may do; only a machine that knows none, or an old one, asks for a new list.
    if ! apt_install "${packages[@]}" >"$log" 2>&1 && ! { apt-get update && apt_install "${packages[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "Could not install ${packages[*]} (is this machine offline?). Install them and start again:" >&2
        echo "    apt-get update && apt-get install -y ${packages[*]}" >&2
        exit 2
    fi
    rm -f "$log"
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" </dev/null
}

# notice_files PACKAGE: files added to or removed from a package are noticed by its own builds only; those of a package that depends on it
# look again after a new manifest.
notice_files() { touch "$1/Package.swift"; }

# A build folder that another compiler or another place made gives errors about modules rather than builds.
drop_stale_build() {
    local folder=$1 stamp
    stamp="$(swift --version 2>/dev/null | head -n 1) at $PWD"
    if [ -d "$folder" ] && [ "$(cat "$folder/toolchain" 2>/dev/null || echo "$stamp")" != "$stamp" ]; then
        echo "Removing $folder: another compiler or another folder made it"
        rm -rf "$folder"
    fi
    mkdir -p "$folder"
    printf '%s\n' "$stamp" >"$folder/toolchain"
}
