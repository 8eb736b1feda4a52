import Glibc
import Platform

/// The seam never makes one; a test must.
func symbolicLink(_ target: String, _ path: String) throws(SystemError) {
    if symlink(target, path) != 0 { throw SystemError(code: errno, call: "symlink", path: path) }
}
