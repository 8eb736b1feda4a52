// Results of calls, and the last error of each thread.
//
// Safe throughout: C borrows strings for the time of one call, which copies them.
import CFreehold
import CShims
import FreeholdEngine

/// The code that a call returns when it throws nothing.
enum Outcome {
    static let ok = freehold_error_code_t(FREEHOLD_OK)
    static let absent = freehold_error_code_t(FREEHOLD_ABSENT)
    static let timedOut = freehold_error_code_t(FREEHOLD_TIMED_OUT)
    static let busy = freehold_error_code_t(FREEHOLD_BUSY)
}

/// Runs a call's body; an error becomes the thread's last error, and its code the result.
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

/// Runs a call's body that has no other outcomes; returns the code for success unless it throws.
@inline(__always)
func done(_ body: () throws -> Void) -> freehold_error_code_t {
    outcome {
        try body()
        return Outcome.ok
    }
}

/// Stores a value in an optional out parameter. The value is computed, and its errors are reported, even if the
/// parameter is NULL.
@inline(__always)
func give<Value>(_ value: Value, to place: UnsafeMutablePointer<Value>?) { place?.pointee = value }

extension String {
    /// The string as C programs print it: they would take a zero byte for its end.
    fileprivate var withoutZeros: String {
        utf8.contains(0) ? split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\0") : self
    }
}

/// Makes an error the thread's last error.
@discardableResult @inline(never)
func record(_ error: FreeholdError) -> freehold_error_code_t {
    var message = error.message.withoutZeros
    var path = error.path.withoutZeros
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
    // A structure of an invalid size has no room for an error either.
    try? Sized.fill(error, with: detail)
    return code
}

/// Terminated names by code, created once and kept.
private nonisolated(unsafe) let errorNames: [Int32: UnsafePointer<CChar>] = FreeholdError.Code.names.mapValues { name in
    KeptText.forEver(name.reduce(into: "") { spelled, letter in
        if letter.isUppercase { spelled += "_" }
        spelled += letter.uppercased()
    })
}

private nonisolated(unsafe) let unknownName = KeptText.forEver("UNKNOWN")

@c @implementation
public func freehold_error_name(_ code: freehold_error_code_t) -> UnsafePointer<CChar>? { errorNames[code] ?? unknownName }
