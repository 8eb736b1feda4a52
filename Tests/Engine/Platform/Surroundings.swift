import Glibc
import Platform

/// The seam never makes a symbolic link; a test must.
func symbolicLink(_ target: String, _ path: String) throws(SystemError) {
    if symlink(target, path) != 0 { throw SystemError(code: errno, call: "symlink", path: path) }
}

/// Whether the tests run as a user who can become another.
let mayBecomeOthers = geteuid() == 0
