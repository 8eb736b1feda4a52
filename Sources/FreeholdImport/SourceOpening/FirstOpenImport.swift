import FreeholdEngine
import Glibc

/// An import that belongs to a database: the process that opens the database first runs it, the others wait for it.
///
/// ```swift
/// let database = try Database.open("shop.freehold")
/// let summary = try FirstOpenImport(SourceFile(path: "shop.realm")).run(on: database)
/// ```
public struct FirstOpenImport: Sendable {
    /// What is imported.
    public var source: SourceFile
    /// Tells imports into one database apart; by default the source's file name. An import of this name is done once.
    public var name: String
    /// Whether it is an error if the source does not exist and was not imported before; otherwise nothing is imported then.
    public var mustExist = false
    /// As `StoreImporter.onProgress`.
    public var onProgress: @Sendable (StoreImportProgress) -> Bool = { _ in true }

    public init(_ source: SourceFile, name: String? = nil) {
        self.source = source
        self.name = name ?? source.path.split(separator: "/").last.map(String.init) ?? source.path
    }

    /// Imports, or waits until another process has imported.
    /// - Returns: what was imported; nil if that was done before, or if there is no source.
    /// - Throws: `FreeholdError`; nothing of the source is visible then. `.malformedInput` for a damaged source.
    @discardableResult
    public func run(on database: Database) throws(FreeholdError) -> StoreImportSummary? {
        if try StoreImporter.isDone(name, in: database.snapshot()) { return nil }
        if !mustExist, access(source.path, F_OK) != 0, errno == ENOENT { return nil }
        do {
            let importer = StoreImporter(try source.open(), name: name, into: database)
            importer.onProgress = onProgress
            let summary = try importer.run()
            return summary.isNew ? summary : nil
        } catch let error as SourceError {
            throw FreeholdError(error, path: source.path)
        } catch let error as FreeholdError {
            throw error
        } catch {
            throw FreeholdError(.io, "importing '\(source.path)' failed: \(error)", path: source.path)
        }
    }
}

extension FreeholdError {
    /// The error of a database whose import failed because of its source.
    public init(_ error: SourceError, path: String) {
        let code: Code = switch error.kind {
        case .notThisFormat, .unsupported: .unsupportedFormat
        case .wrongKey: .wrongKey
        case .damaged: .malformedInput
        case .changed: .inUse
        case .cancelled: .importStopped
        case .invalidOption: .invalidArgument
        case .system: Self.code(of: error.systemCode)
        }
        let place = error.offset.map { " (byte \($0))" } ?? ""
        let readable = error.readableDescription.map { "; what can still be read: \($0)" } ?? ""
        self.init(code, "cannot import '\(path)': \(error.message)\(place)\(readable)", path: path, systemCode: error.systemCode)
    }

    private static func code(of number: Int32) -> Code {
        switch number {
        case ENOENT, ENOTDIR: .notFound
        case EACCES, EPERM: .permissionDenied
        case ENOSPC, EDQUOT: .diskFull
        default: .io
        }
    }
}
