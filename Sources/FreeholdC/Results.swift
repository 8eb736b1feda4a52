// How calls end: their results, and the last error of each thread.
//
// Safe throughout: texts are lent to C for the time of one call, which copies them.
import CFreehold
import CShims
import FreeholdEngine

/// What a call returns when it throws nothing.
enum Outcome {
    static let ok = freehold_error_code_t(FREEHOLD_OK)
    static let absent = freehold_error_code_t(FREEHOLD_ABSENT)
    static let timedOut = freehold_error_code_t(FREEHOLD_TIMED_OUT)
    static let busy = freehold_error_code_t(FREEHOLD_BUSY)
}

/// Runs a call's body; what it throws becomes the thread's last error, and its code the result.
@inline(__always)
func outcome(_ body: () throws -> freehold_error_code_t) -> freehold_error_code_t {
    do {
        return try body()
    } catch let error as FreeholdError {
        return record(error)
    } catch {
        return record(FreeholdError(.system, "\(error)"))
    }
}

/// The same for a call that is done when it throws nothing.
@inline(__always)
func done(_ body: () throws -> Void) -> freehold_error_code_t {
    outcome {
        try body()
        return Outcome.ok
    }
}

/// Writes what the caller may not want. The value is made before, and what is wrong told, also where there is no place for it.
@inline(__always)
func give<Value>(_ value: Value, to place: UnsafeMutablePointer<Value>?) { place?.pointee = value }

/// Makes an error the thread's last one.
@discardableResult @inline(never)
func record(_ error: FreeholdError) -> freehold_error_code_t {
    var message = error.message
    var path = error.path
    message.withUTF8 { message in
        path.withUTF8 { path in
            freehold_shim_last_error_set(error.code.rawValue, error.systemCode, message.baseAddress, message.count,
                                         path.baseAddress, path.count)
        }
    }
    return error.code == .busy ? Outcome.busy : error.code.rawValue
}

@c @implementation
public func freehold_last_error(_ error: UnsafeMutablePointer<freehold_error_t>?) -> freehold_error_code_t {
    let code = freehold_shim_last_error_code()
    let detail = freehold_error_t(size: 0, code: code, system_code: freehold_shim_last_error_system_code(),
                                  message: freehold_shim_last_error_message(), path: freehold_shim_last_error_path())
    // A structure of no use has no place for an error either.
    try? Sized.fill(error, with: detail)
    return code
}

/// Terminated names by code, made once and kept.
private nonisolated(unsafe) let errorNames: [Int32: UnsafePointer<CChar>] = FreeholdError.Code.names.mapValues { name in
    KeptText.forEver(name.reduce(into: "") { spelled, letter in
        if letter.isUppercase { spelled += "_" }
        spelled += letter.uppercased()
    })
}

private nonisolated(unsafe) let unknownName = KeptText.forEver("UNKNOWN")

@c @implementation
public func freehold_error_name(_ code: freehold_error_code_t) -> UnsafePointer<CChar>? { errorNames[code] ?? unknownName }
