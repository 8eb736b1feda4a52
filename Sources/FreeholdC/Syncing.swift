// Sync: a file's messages for a server, and the server's for it.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; a message has as many bytes as the caller states; what a
// callback receives lives until it returns, and it is called on the caller's thread, during the call.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_sync_push(
    _ database: OpaquePointer?, _ callback: freehold_text_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    outcome {
        var pieces = try TextPieces(callback, context)
        guard let message = try SyncReplica(Handles.database(database)).push() else { return Outcome.absent }
        try pieces.pass(message)
        return Outcome.ok
    }
}

@c @implementation
public func freehold_sync_pull(
    _ database: OpaquePointer?, _ callback: freehold_text_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        var pieces = try TextPieces(callback, context)
        try pieces.pass(SyncReplica(Handles.database(database)).pull())
    }
}

@c @implementation
public func freehold_sync_apply(
    _ database: OpaquePointer?, _ message: UnsafeRawPointer?, _ length: Int, _ merge: freehold_sync_merge_callback_t?,
    _ loss: freehold_sync_loss_callback_t?, _ context: UnsafeMutableRawPointer?, _ report: UnsafeMutablePointer<freehold_sync_report_t>?
) -> freehold_error_code_t {
    outcome {
        let database = try Handles.database(database)
        guard let message, length >= 0 else { throw FreeholdError(.invalidArgument, "the message is NULL, or its length is negative") }
        let told = merge == nil && loss == nil ? nil : try ToldConflicts(database, context)
        defer { told?.end() }
        var resolve: SyncReplica.Resolver?
        if let told, let merge { resolve = { conflict throws(FreeholdError) in try told.merged(conflict, merge) } }
        let bytes = [UInt8](UnsafeRawBufferPointer(start: message, count: length))
        guard let applied = try SyncReplica(database, resolve: resolve).apply(bytes) else { return Outcome.absent }
        if let told, let loss { for one in applied.losses { try told.tell(one, loss) } }
        try Sized.fill(report, with: freehold_sync_report_t(
            size: 0, losses: UInt64(applied.losses.count), changed_objects: UInt64(applied.changedObjects), reset: applied.isReset))
        return Outcome.ok
    }
}

extension TextPieces {
    /// Passes the callback a whole message.
    fileprivate mutating func pass(_ message: [UInt8]) throws {
        try add { $0 += message }
        try flush()
    }
}

/// Conflicts and losses as C sees them, with values as the database was before the answer.
private final class ToldConflicts {
    private let snapshot: Snapshot
    private let reader: Reader
    private let context: UnsafeMutableRawPointer?

    init(_ database: Database, _ context: UnsafeMutableRawPointer?) throws(FreeholdError) {
        snapshot = try database.snapshot()
        reader = Reader(snapshot)
        self.context = context
    }

    func end() {
        reader.moved(isHeld: false)
        snapshot.end()
    }

    /// What the application makes of two values; the server's if it does not say.
    func merged(_ conflict: SyncConflictCase, _ merge: freehold_sync_merge_callback_t) throws(FreeholdError) -> Value {
        let memory = ValueMemory(), target = try target(of: conflict.property, conflict.className)
        var given = freehold_sync_conflict_t()
        given.size = MemoryLayout<freehold_sync_conflict_t>.size
        given.class_name = memory.text(conflict.className)
        given.primary_key = try reader.given(conflict.primaryKey, target: ReadClass.none, in: memory)
        given.property = memory.text(conflict.property)
        given.mine = try reader.given(conflict.mine, target: target, in: memory)
        given.theirs = try reader.given(conflict.theirs, target: target, in: memory)
        return try withExtendedLifetime(memory) { () throws(FreeholdError) in
            var merged = freehold_value_t()
            return merge(context, &given, &merged) ? try merged.engineValue(target: target, reader) : conflict.theirs
        }
    }

    func tell(_ loss: SyncReport.Loss, _ callback: freehold_sync_loss_callback_t) throws(FreeholdError) {
        let memory = ValueMemory()
        var given = freehold_sync_loss_t()
        given.size = MemoryLayout<freehold_sync_loss_t>.size
        given.class_name = memory.text(loss.className)
        given.primary_key = try reader.given(loss.primaryKey, target: ReadClass.none, in: memory)
        if let property = loss.property { given.property = memory.text(property) }
        given.reason = loss.reason.number
        withExtendedLifetime(memory) { callback(context, &given) }
    }

    /// The class that a property links to, or none.
    private func target(of property: String, _ className: String) throws(FreeholdError) -> freehold_class_t {
        let read = try reader.readClass(named: className)
        guard let place = read.schema.properties.firstIndex(where: { $0.name.isSame(as: property) }) else { return ReadClass.none }
        return read.targets[place]
    }
}

extension SyncReport.Reason {
    /// The number that C has for it.
    fileprivate var number: freehold_sync_reason_t {
        let number = switch self {
        case .beaten: FREEHOLD_SYNC_REASON_BEATEN
        case .deleted: FREEHOLD_SYNC_REASON_DELETED
        case .updated: FREEHOLD_SYNC_REASON_UPDATED
        case .notVisible: FREEHOLD_SYNC_REASON_NOT_VISIBLE
        case .notAllowed: FREEHOLD_SYNC_REASON_NOT_ALLOWED
        case .conflict: FREEHOLD_SYNC_REASON_CONFLICT
        case .notUnique: FREEHOLD_SYNC_REASON_NOT_UNIQUE
        case .unknown: FREEHOLD_SYNC_REASON_UNKNOWN
        }
        return freehold_sync_reason_t(number)
    }
}
