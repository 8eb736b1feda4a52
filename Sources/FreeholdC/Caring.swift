// Copies, backups, compaction, flushing and salvage.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; what a callback receives lives until it
// returns.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_snapshot_copy(
    _ database: OpaquePointer?, _ snapshot: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ path_length: Int
) -> freehold_error_code_t {
    done {
        let held = try Handles.object(snapshot, HeldSnapshot.self)
        try Handles.database(database).copy(held.snapshot, to: try text(path, path_length, "path"))
    }
}

@c @implementation
public func freehold_database_backup(
    _ database: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ path_length: Int, _ copied_bytes: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let report = try Handles.database(database).backup(to: try text(path, path_length, "path"))
        copied_bytes?.pointee = report.copiedBytes
    }
}

@c @implementation
public func freehold_database_compact(
    _ database: OpaquePointer?, _ length_before: UnsafeMutablePointer<UInt64>?, _ length_after: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let report = try Handles.database(database).compact()
        length_before?.pointee = report.lengthBefore
        length_after?.pointee = report.lengthAfter
    }
}

@c @implementation
public func freehold_database_acknowledge_lost_version(_ database: OpaquePointer?) -> freehold_error_code_t {
    done { try Handles.database(database).acknowledgeLostVersion() }
}

@c @implementation
public func freehold_database_flush(_ database: OpaquePointer?) -> freehold_error_code_t {
    done { try Handles.database(database).flush() }
}

@c @implementation
public func freehold_database_exists(
    _ path: UnsafePointer<CChar>?, _ path_length: Int, _ in_memory: Bool
) -> freehold_error_code_t {
    outcome {
        try Database.exists(at: try text(path, path_length, "path"), inMemory: in_memory) ? Outcome.ok : Outcome.absent
    }
}

@c @implementation
public func freehold_database_salvage(
    _ damaged: UnsafePointer<CChar>?, _ damaged_length: Int, _ path: UnsafePointer<CChar>?, _ path_length: Int,
    _ options: UnsafePointer<freehold_open_options_t>?, _ report: UnsafeMutablePointer<freehold_salvage_report_t>?,
    _ callback: freehold_salvage_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let found = try Database.salvage(from: try text(damaged, damaged_length, "path of the damaged file"),
                                         to: try text(path, path_length, "path"), key: try OpenOptions(options).encryptionKey)
        let lost = found.classes.reduce(0) { $0 + ($1.lostObjects ?? 0) }
        try Sized.fill(report, with: freehold_salvage_report_t(
            size: 0, classes: UInt64(found.classes.count), objects: UInt64(found.objects), lost_objects: UInt64(lost),
            complete: found.isComplete))
        guard let callback else { return }
        for sentence in found.notes + found.classes.filter({ !$0.isComplete }).map(\.losses) {
            let kept = KeptText(sentence)
            withExtendedLifetime(kept) { callback(context, kept.text.bytes) }
        }
    }
}

extension SalvagedClass {
    /// The losses of a salvage, in a sentence.
    fileprivate var losses: String {
        var parts: [String] = []
        if let lostObjects { if lostObjects > 0 { parts.append("\(lostObjects) objects lost") } } else { parts.append("an unknown number of objects lost") }
        for (name, count) in lostValues.sortedByKey { parts.append("\(count) values of '\(name)' lost") }
        if possiblyStale > 0 { parts.append("\(possiblyStale) objects may be older than they were") }
        if madeUpKeys > 0 { parts.append("\(madeUpKeys) keys made up") }
        if superseded > 0 { parts.append("\(superseded) objects superseded") }
        if cutLinks > 0 { parts.append("\(cutLinks) links cut") }
        return "class '\(name)': \(objects) objects recovered, " + parts.joined(separator: ", ")
    }
}
