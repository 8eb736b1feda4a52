// JSON export and import.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; what a callback receives lives until it
// returns; a buffer has as many bytes as it states, because nothing else changes it.
import CFreehold
import FreeholdEngine
import FreeholdImport
import Glibc

@c @implementation
public func freehold_buffer_append(_ buffer: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<CChar>?, _ length: Int) -> Bool {
    guard let buffer = buffer?.assumingMemoryBound(to: freehold_buffer_t.self), length >= 0, bytes != nil || length == 0 else { return false }
    let (whole, isTooLong) = buffer.pointee.length.addingReportingOverflow(length)
    guard !isTooLong, whole < .max else { return false }
    if whole >= buffer.pointee.capacity {
        let (doubled, isTooMuch) = buffer.pointee.capacity.multipliedReportingOverflow(by: 2)
        let capacity = max(whole + 1, isTooMuch ? 0 : doubled, 256)
        guard let grown = realloc(buffer.pointee.bytes, capacity) else { return false }
        buffer.pointee.bytes = grown.assumingMemoryBound(to: CChar.self)
        buffer.pointee.capacity = capacity
    }
    guard let place = buffer.pointee.bytes else { return false }
    if let bytes { (place + buffer.pointee.length).update(from: bytes, count: length) }
    buffer.pointee.length += length
    place[buffer.pointee.length] = 0
    return true
}

@c @implementation
public func freehold_buffer_free(_ buffer: UnsafeMutablePointer<freehold_buffer_t>?) {
    guard let buffer else { return }
    free(buffer.pointee.bytes)
    buffer.pointee = freehold_buffer_t()
}

@c @implementation
public func freehold_json_object(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ key: freehold_key_t, _ callback: freehold_text_callback_t?,
    _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    outcome {
        let reader = try Handles.reader(reader), read = try reader.readClass(object_class)
        var pieces = try TextPieces(callback, context)
        guard let row = try read.table.row(ObjectKey(key)) else { return Outcome.absent }
        try pieces.add { try JSONObjects(reader, read.schema.name).append(row, to: &$0) }
        try pieces.flush()
        return Outcome.ok
    }
}

@c @implementation
public func freehold_json_class(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ form: freehold_json_form_t, _ callback: freehold_text_callback_t?,
    _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let reader = try Handles.reader(reader), read = try reader.readClass(object_class)
        var from: ObjectKey? = ObjectKey(.min)
        try write(through: reader, read.schema.name, form, callback, context) { add in
            guard let start = from else { return false }
            from = nil
            var cursor = try read.table.rows(from: start)
            while let row = try cursor.next() {
                if try add(row) { continue }
                if row.key.rawValue < .max { from = ObjectKey(row.key.rawValue + 1) }
                break
            }
            return from != nil
        }
    }
}

@c @implementation
public func freehold_json_results(
    _ results: OpaquePointer?, _ form: freehold_json_form_t, _ callback: freehold_text_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let results = try Handles.object(results, OpenResults.self), read = try results.readClass()
        var place = 0
        try write(through: results.reader, read.schema.name, form, callback, context) { add in
            while place < results.count {
                let key = ObjectKey(results.keys[place])
                guard let row = try read.table.row(key) else { throw results.deleted(key) }
                place += 1
                if try !add(row) { break }
            }
            return place < results.count
        }
    }
}

/// Writes objects as JSON; `fill` adds objects until a piece is full, and returns whether there may be more. No row is
/// held while the callback has a piece: the callback may end or move the reader, and then nothing more is read from it.
private func write(
    through reader: Reader, _ name: String, _ form: freehold_json_form_t, _ callback: freehold_text_callback_t?,
    _ context: UnsafeMutableRawPointer?, fill: (_ add: (Row) throws -> Bool) throws -> Bool
) throws {
    var pieces = try TextPieces(callback, context), form = try JSONForm(form)
    let objects = JSONObjects(reader, name), generation = reader.generation
    try form.begin(&pieces)
    while try fill({ row in
        try form.write(row, objects, &pieces)
        return !pieces.isFull
    }) {
        try pieces.flush()
        try reader.use()
        guard reader.generation == generation else {
            throw FreeholdError(.closed, "the snapshot moved or the classes changed during the callback; start again")
        }
    }
    try form.end(&pieces)
    try pieces.flush()
}

@c @implementation
public func freehold_json_import(
    _ transaction: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ text: UnsafePointer<CChar>?,
    _ text_length: Int, _ options: UnsafePointer<freehold_json_options_t>?, _ report: UnsafeMutablePointer<freehold_json_report_t>?,
    _ callback: freehold_json_bad_record_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        let given = try freehold_text_t(bytes: text, length: text_length).bytes("text")
        var taken = 0
        let input = ByteInput(length: given.count) { buffer in
            let count = min(buffer.count, given.count - taken)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: given[taken..<taken + count]))
            taken += count
            return count
        }
        let name = try FreeholdC.text(class_name, class_name_length, "class name")
        try load(input, into: name, held, options, report, callback, context)
    }
}

@c @implementation
public func freehold_json_import_from(
    _ transaction: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ read: freehold_read_callback_t?,
    _ options: UnsafePointer<freehold_json_options_t>?, _ report: UnsafeMutablePointer<freehold_json_report_t>?,
    _ callback: freehold_json_bad_record_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        guard let read else { throw FreeholdError(.invalidArgument, "the read callback is NULL") }
        let input = ByteInput { buffer in
            // A count above the buffer's size is invalid.
            let count = Int(read(context, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count))
            return count <= buffer.count ? count : -Int(EINVAL)
        }
        let name = try text(class_name, class_name_length, "class name")
        try load(input, into: name, held, options, report, callback, context)
    }
}

/// Imports JSON within the transaction; after an error, none of it remains.
private func load(
    _ input: consuming ByteInput, into name: String, _ held: HeldTransaction, _ given: UnsafePointer<freehold_json_options_t>?,
    _ report: UnsafeMutablePointer<freehold_json_report_t>?, _ callback: freehold_json_bad_record_callback_t?,
    _ context: UnsafeMutableRawPointer?
) throws {
    let wishes = try Sized.read(given, or: freehold_json_options_t())
    var options = ImportOptions(into: name)
    let primaryKey = try wishes.primary_key.string("primary key")
    options.primaryKey = primaryKey.isEmpty ? nil : primaryKey
    options.skipsBadRecords = wishes.skip_bad_records
    let importer = Importer(RecordFormat.json.reader(input), format: .json, within: held.transaction, options: options)
    importer.onBadRecord = { fault in
        let kept = KeptText(fault.message)
        withExtendedLifetime(kept) { callback?(context, UInt64(fault.line), kept.text.bytes) }
    }
    defer { held.reader.schemaChanged() }
    let summary: ImportSummary
    do { summary = try held.reader.change { try held.transaction.nested { try importer.run() } } } catch let error as ImportError {
        throw FreeholdError(error.kind == .system ? .io : .malformedInput, error.description, systemCode: error.systemCode)
    }
    try Sized.fill(report, with: freehold_json_report_t(
        size: 0, records: UInt64(summary.recordCount), nested: UInt64(summary.nestedCount), bad: UInt64(summary.badCount)))
}
