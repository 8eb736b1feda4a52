import Glibc

/// The error to throw for a failed call. A bad address can only be a defect of ours, a bad descriptor too where the call opened it itself, and to go on after
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

/// The error to throw for a failed call on an open descriptor.
///
/// The program can close descriptors that are not its own (`closefrom` in a daemon), and their numbers then go to other files. So a bad
/// descriptor is an error of the call, `ErrorNumber.badDescriptor`; only a call on what was closed by its owner is a defect.
/// - Parameter isOwn: whether the number still belongs to the file that was opened; evaluated for an argument that is invalid.
func failure(
    _ code: Int32, _ call: StaticString, _ path: String, on descriptor: Int32, isOwn: @autoclosure () -> Bool
) -> SystemError {
    if descriptor < 0 { stopForDefect(code, call, path) }
    if code == EBADF { return SystemError(code: code, call: call, path: path) }
    // What another sort of file answers: a pipe, a socket, a timer.
    if code == EINVAL || code == ESPIPE || code == ENOTSOCK || code == EISDIR, !isOwn() { return SystemError(code: EBADF, call: call, path: path) }
    return failure(code, call, path, invalidIsDefect: true)
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
