// Waiting for commits.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller.
import CFreehold
import FreeholdEngine

/// A listener, held by C programs through a handle.
final class OpenListener: Handled {
    static let kind = HandleKind.listener
    let listener: ChangeListener
    init(_ listener: ChangeListener) { self.listener = listener }
}

@c @implementation
public func freehold_database_wait(
    _ database: OpaquePointer?, _ after: freehold_version_t, _ timeout_milliseconds: Int64,
    _ version: UnsafeMutablePointer<freehold_version_t>?
) -> freehold_error_code_t {
    outcome {
        let database = try Handles.database(database)
        let limit = try milliseconds(timeout_milliseconds)
        guard let newer = try database.waitForChange(after: Version(after), timeoutMilliseconds: limit) else {
            return Outcome.timedOut
        }
        version?.pointee = newer.rawValue
        return Outcome.ok
    }
}

@c @implementation
public func freehold_listener_open(
    _ database: OpaquePointer?, _ listener: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(listener)
        place.pointee = try Handles.make(OpenListener(try Handles.database(database).listen()))
    }
}

@c @implementation
public func freehold_listener_descriptor(_ listener: OpaquePointer?) -> Int32 {
    var descriptor: Int32 = -1
    _ = done { descriptor = try Handles.object(listener, OpenListener.self).listener.fileDescriptor }
    return descriptor
}

@c @implementation
public func freehold_listener_acknowledge(
    _ listener: OpaquePointer?, _ version: UnsafeMutablePointer<freehold_version_t>?
) -> freehold_error_code_t {
    done {
        let newest = try Handles.object(listener, OpenListener.self).listener.acknowledge()
        version?.pointee = newest.rawValue
    }
}

@c @implementation
public func freehold_listener_reread(_ listener: OpaquePointer?, _ rereads: Bool) -> freehold_error_code_t {
    done { try Handles.object(listener, OpenListener.self).listener.rereads = rereads }
}

@c @implementation
public func freehold_listener_wait(
    _ listener: OpaquePointer?, _ timeout_milliseconds: Int64, _ version: UnsafeMutablePointer<freehold_version_t>?
) -> freehold_error_code_t {
    outcome {
        let listener = try Handles.object(listener, OpenListener.self).listener
        guard let newest = try listener.wait(timeoutMilliseconds: try milliseconds(timeout_milliseconds)) else {
            return Outcome.timedOut
        }
        version?.pointee = newest.rawValue
        return Outcome.ok
    }
}

@c @implementation
public func freehold_listener_close(_ listener: OpaquePointer?) -> freehold_error_code_t {
    done { if listener != nil { try Handles.end(listener, OpenListener.self) } }
}
