// The differences between the objects of two snapshots.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; the properties of a change are kept until
// the next change.
import CFreehold
import FreeholdEngine

/// A cursor over changes of objects, held by C programs through a handle.
final class OpenChanges: Handled {
    static let kind = HandleKind.changes
    private let readers: [(reader: Reader, generation: UInt64)]
    /// The changes; nil if nothing of the class differs.
    private var changes: FreeholdEngine.ObjectChanges?
    private var columns: [Column] = []
    private let memory = ValueMemory()

    init(_ older: Reader, _ newer: Reader, _ name: String) throws(FreeholdError) {
        readers = [(older, older.generation), (newer, newer.generation)]
        let names = try older.schemas().map(\.name) + newer.schemas().map(\.name)
        guard names.has(name) else { throw FreeholdError(.unknownClass, "neither snapshot has a class '\(name)'") }
        guard let found = try newer.snapshot().changes(since: older.snapshot())[name] else { return }
        changes = try found.cursor()
        if let number = try newer.schemas().firstIndex(where: { $0.name.isSame(as: name) }) {
            columns = try newer.readClass(freehold_class_t(number)).columns
        }
    }

    /// The next change; nil at the end.
    func next() throws(FreeholdError) -> freehold_object_change_t? {
        for (reader, generation) in readers {
            try reader.use()
            guard reader.generation == generation else {
                throw FreeholdError(.closed, "a snapshot has moved since its changes were opened; open them again")
            }
        }
        memory.clear()
        guard let found = try changes?.next() else { return nil }
        var change = freehold_object_change_t()
        change.key = found.key.rawValue
        change.kind = found.kind.number
        if found.kind == .changed {
            let numbers = columns.indices.filter { found.didChange(columns[$0]) }.map { freehold_property_t($0) }
            change.property_count = UInt32(numbers.count)
            change.properties = memory.array(numbers)
        }
        return change
    }
}

extension ObjectChange.Kind {
    fileprivate var number: freehold_change_kind_t {
        switch self {
        case .inserted: freehold_change_kind_t(FREEHOLD_CHANGE_INSERTED)
        case .deleted: freehold_change_kind_t(FREEHOLD_CHANGE_DELETED)
        case .changed: freehold_change_kind_t(FREEHOLD_CHANGE_CHANGED)
        case .replaced: freehold_change_kind_t(FREEHOLD_CHANGE_REPLACED)
        }
    }
}

@c @implementation
public func freehold_changes_open(
    _ older: OpaquePointer?, _ newer: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int,
    _ changes: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    open(class_name, class_name_length, changes) { () throws(FreeholdError) in
        let before = try Handles.object(older, HeldSnapshot.self).reader, after = try Handles.object(newer, HeldSnapshot.self).reader
        try before.use()
        try after.use()
        return (before, after)
    }
}

@c @implementation
public func freehold_changes_between(
    _ older: OpaquePointer?, _ newer: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int,
    _ changes: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    open(class_name, class_name_length, changes) { () throws(FreeholdError) in (try Handles.reader(older), try Handles.reader(newer)) }
}

private func open(
    _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ changes: UnsafeMutablePointer<OpaquePointer?>?,
    _ readers: () throws(FreeholdError) -> (older: Reader, newer: Reader)
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(changes), between = try readers()
        place.pointee = try Handles.make(OpenChanges(between.older, between.newer, try text(class_name, class_name_length, "class name")))
    }
}

@c @implementation
public func freehold_changes_next(
    _ changes: OpaquePointer?, _ change: UnsafeMutablePointer<freehold_object_change_t>?
) -> freehold_error_code_t {
    outcome {
        guard let found = try Handles.object(changes, OpenChanges.self).next() else { return Outcome.absent }
        try Sized.fill(change, with: found)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_changes_close(_ changes: OpaquePointer?) -> freehold_error_code_t {
    done { if changes != nil { try Handles.end(changes, OpenChanges.self) } }
}
