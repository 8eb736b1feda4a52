// Imports of whole databases of other kinds.
//
// Safe throughout: what a caller passes is read during the call; a callback and its context are called on the caller's
// thread, during the call.
import CFreehold
import FreeholdEngine
import FreeholdImport

extension FirstOpenImport {
    /// The import that a caller describes.
    init(_ given: UnsafePointer<freehold_import_t>) throws(FreeholdError) {
        let source = try Sized.read(given, or: freehold_import_t())
        var file = SourceFile(path: try text(source.path, source.path_length, "path of the source"))
        if source.key != nil || source.key_length != 0 {
            let bytes = freehold_text_t(bytes: UnsafeRawPointer(source.key)?.assumingMemoryBound(to: CChar.self), length: source.key_length)
            file.key = Array(try bytes.bytes("key of the source"))
        }
        if source.rule_count > 0, source.rules == nil { throw FreeholdError(.invalidArgument, "the rules are NULL but have a count") }
        for place in 0..<source.rule_count {
            let rule = try source.rules[place].string("rule")
            do throws(SourceError) { try file.rules.add(rule) } catch { throw FreeholdError(error, path: file.path) }
        }
        self.init(file, name: source.name == nil ? nil : try text(source.name, source.name_length, "name of the import"))
        mustExist = source.must_exist
        guard let progress = source.progress else { return }
        let caller = Caller(callback: progress, context: source.context)
        onProgress = { caller.callback(caller.context, UInt64($0.written), UInt64($0.total), $0.isWaiting) }
    }

    /// A callback with its context.
    // Safe: it is called on the thread that passed it, while it passes it.
    private struct Caller: @unchecked Sendable {
        let callback: freehold_import_progress_callback_t
        let context: UnsafeMutableRawPointer?
    }
}

@c @implementation
public func freehold_database_import(
    _ database: OpaquePointer?, _ source: UnsafePointer<freehold_import_t>?, _ report: UnsafeMutablePointer<freehold_import_report_t>?,
    _ remark: freehold_import_remark_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        let opened = try Handles.database(database)
        guard let source else { throw FreeholdError(.invalidArgument, "a source is needed; NULL was given") }
        let found = try FirstOpenImport(source).run(on: opened)
        try Sized.fill(report, with: freehold_import_report_t(
            size: 0, classes: UInt64(found?.classes.count ?? 0), objects: UInt64(found?.classes.reduce(0) { $0 + $1.count } ?? 0),
            missing_links: UInt64(found?.missingLinks ?? 0), is_new: found != nil))
        guard let remark else { return }
        for text in found?.remarks.map(\.description) ?? [] {
            let kept = KeptText(text)
            withExtendedLifetime(kept) { remark(context, kept.text.bytes) }
        }
    }
}
