// Sizes, holders and the consistency check.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; what a callback receives lives until it
// returns.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_database_information(
    _ database: OpaquePointer?, _ information: UnsafeMutablePointer<freehold_information_t>?,
    _ callback: freehold_holder_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let found = try Handles.database(database).information()
        try Sized.fill(information, with: freehold_information_t(
            size: 0, version: found.version.rawValue, durable_version: found.durableVersion.rawValue,
            file_length: found.fileLength, used_bytes: found.usedBytes, free_bytes: found.freeBytes,
            held_bytes: found.heldBytes, holder_count: UInt64(found.holders.count),
            reserved_bytes: found.reservedBytes, lost_version: found.lostVersion?.rawValue ?? 0))
        guard let callback else { return }
        for holder in found.holders { show(holder, to: callback, context) }
    }
}

private func show(_ holder: DatabaseInformation.Holder, to callback: freehold_holder_callback_t,
                  _ context: UnsafeMutableRawPointer?) {
    let name = KeptText(holder.processName)
    var shown = freehold_holder_t(
        size: MemoryLayout<freehold_holder_t>.size, version: holder.version.rawValue, process_id: holder.processIdentifier,
        readers: UInt32(clamping: holder.readers), held_milliseconds: holder.heldMilliseconds, process_name: name.text,
        kept_bytes: holder.keptBytes, parked: holder.isParked)
    withExtendedLifetime(name) { callback(context, &shown) }
}

@c @implementation
public func freehold_database_check(
    _ database: OpaquePointer?, _ report: UnsafeMutablePointer<freehold_check_report_t>?,
    _ callback: freehold_check_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let found = try Handles.database(database).check()
        try Sized.fill(report, with: freehold_check_report_t(
            size: 0, version: found.version.rawValue, classes: UInt64(found.classes), objects: UInt64(found.objects),
            blocks: UInt64(found.blocks), index_entries: UInt64(found.indexEntries), links: UInt64(found.links),
            live_bytes: found.liveBytes, problem_count: UInt64(found.problems.count),
            collections: UInt64(found.collections), elements: UInt64(found.elements)))
        guard let callback else { return }
        for problem in found.problems { show(problem, to: callback, context) }
    }
}

private func show(_ problem: CheckProblem, to callback: freehold_check_callback_t, _ context: UnsafeMutableRawPointer?) {
    let texts = [problem.kind.rawValue, problem.place, problem.message].map { KeptText($0) }
    var shown = freehold_check_problem_t(
        size: MemoryLayout<freehold_check_problem_t>.size, kind: texts[0].text.bytes, place: texts[1].text.bytes,
        message: texts[2].text.bytes)
    withExtendedLifetime(texts) { callback(context, &shown) }
}
