// Safe throughout: an out parameter is NULL or writable memory of the caller; a reader's handle ends with its owner.
import CFreehold
import FreeholdEngine

/// A snapshot, held by C programs through a handle.
final class HeldSnapshot: Handled {
    static let kind = HandleKind.snapshot
    let snapshot: Snapshot
    let reader: Reader
    let readerHandle: OpaquePointer

    init(_ snapshot: Snapshot) throws(FreeholdError) {
        self.snapshot = snapshot
        reader = Reader(snapshot)
        readerHandle = try Handles.make(reader)
    }

    /// Moves to the newest version; true if the version changed.
    func refresh() throws(FreeholdError) -> Bool {
        let hasMoved: Bool
        do { hasMoved = try snapshot.refresh() } catch {
            reader.moved(isHeld: false)
            throw error
        }
        if hasMoved || !reader.canStay || !snapshot.keepsTables { reader.moved(isHeld: true) } else { reader.stayed() }
        return hasMoved
    }

    /// Lets commits take the version away; the next read holds a version again.
    func park() throws(FreeholdError) {
        try snapshot.park()
        reader.moved(isHeld: true)
    }

    /// Releases the version, even if cursors still refer to the reader.
    func end() throws(FreeholdError) {
        reader.moved(isHeld: false)
        snapshot.end()
        try Handles.end(readerHandle, Reader.self)
    }
}

@c @implementation
public func freehold_snapshot_begin(
    _ database: OpaquePointer?, _ snapshot: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(snapshot)
        place.pointee = try Handles.make(HeldSnapshot(try Handles.database(database).snapshot()))
    }
}

@c @implementation
public func freehold_snapshot_refresh(
    _ snapshot: OpaquePointer?, _ moved: UnsafeMutablePointer<Bool>?
) -> freehold_error_code_t {
    done {
        let hasMoved = try Handles.object(snapshot, HeldSnapshot.self).refresh()
        moved?.pointee = hasMoved
    }
}

@c @implementation
public func freehold_snapshot_another(
    _ snapshot: OpaquePointer?, _ another: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(another)
        place.pointee = try Handles.make(HeldSnapshot(try Handles.object(snapshot, HeldSnapshot.self).snapshot.another()))
    }
}

@c @implementation
public func freehold_snapshot_park(_ snapshot: OpaquePointer?) -> freehold_error_code_t {
    done { try Handles.object(snapshot, HeldSnapshot.self).park() }
}

@c @implementation
public func freehold_snapshot_end(_ snapshot: OpaquePointer?) -> freehold_error_code_t {
    done {
        if snapshot == nil { return }
        try Handles.object(snapshot, HeldSnapshot.self).end()
        try Handles.end(snapshot, HeldSnapshot.self)
    }
}

@c @implementation
public func freehold_snapshot_reader(_ snapshot: OpaquePointer?) -> OpaquePointer? {
    var reader: OpaquePointer?
    _ = done { reader = try Handles.object(snapshot, HeldSnapshot.self).readerHandle }
    return reader
}

@c @implementation
public func freehold_reader_version(
    _ reader: OpaquePointer?, _ version: UnsafeMutablePointer<freehold_version_t>?
) -> freehold_error_code_t {
    done { try give(Handles.reader(reader).version.rawValue, to: version) }
}

extension Handles {
    /// The reader of a handle, checked for use.
    @inline(__always)
    static func reader(_ handle: OpaquePointer?) throws(FreeholdError) -> Reader {
        let reader = try object(handle, Reader.self)
        try reader.use()
        return reader
    }
}
