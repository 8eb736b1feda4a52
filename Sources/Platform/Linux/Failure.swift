import Glibc

/// The error to throw for a failed call. A bad descriptor or address can only be a defect of ours, and to go on after
/// one could write into the wrong file: the process stops.
/// - Parameter invalidIsDefect: whether an invalid argument, too, can only be ours.
func failure(
    _ code: Int32, _ call: StaticString, _ path: String, invalidIsDefect: Bool = false
) -> SystemError {
    if code == EBADF || code == EFAULT || (code == EINVAL && invalidIsDefect) {
        stopForDefect(code, call, path)
    }
    return SystemError(code: code, call: call, path: path)
}

/// Ends the process: its own state can no longer be trusted.
func stopForDefect(_ code: Int32, _ call: StaticString, _ path: String) -> Never {
    // Allowed: no caller could do anything sensible about it.
    fatalError("Freehold: defect: \(call) \(path): \(ErrorNumber.text(code)) (\(code))")
}

/// Runs a call that returns -1 on failure, again as long as a signal interrupts it.
/// - Returns: its result, or the negated error number.
@inline(__always)
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { return -Result(code) }
    }
}
