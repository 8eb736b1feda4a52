import Glibc

/// The error to throw for a failed call. A bad address can only be a defect of this library, and so can a bad
/// descriptor if the call opened it itself. Continuing could write into the wrong file, so the process stops.
/// - Parameter invalidIsDefect: whether an invalid argument, too, can only be a defect.
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
/// The program can close descriptors that are not its own (`closefrom` in a daemon), and their numbers are then reused
/// for other files. So a bad descriptor is an error of the call, `ErrorNumber.badDescriptor`; only a call on a
/// descriptor that its owner has closed is a defect.
/// - Parameter isOwn: whether the number still belongs to the file that was opened; evaluated for an invalid argument.
func failure(
    _ code: Int32, _ call: StaticString, _ path: String, on descriptor: Int32, isOwn: @autoclosure () -> Bool
) -> SystemError {
    if descriptor < 0 { stopForDefect(code, call, path) }
    if code == EBADF { return SystemError(code: code, call: call, path: path) }
    // Errors of other types of files: pipes, sockets, timers.
    if code == EINVAL || code == ESPIPE || code == ENOTSOCK || code == EISDIR, !isOwn() { return SystemError(code: EBADF, call: call, path: path) }
    return failure(code, call, path, invalidIsDefect: true)
}

/// Ends the process: its own state can no longer be trusted.
func stopForDefect(_ code: Int32, _ call: StaticString, _ path: String) -> Never {
    // Allowed: no caller could do anything sensible about it.
    fatalError("Freehold: defect: \(call) \(path): \(ErrorNumber.text(code)) (\(code))")
}

/// Runs a call that returns -1 on failure, and repeats it while a signal interrupts it.
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
