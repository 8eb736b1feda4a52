public import Foundation
import FreeholdEngine
import FreeholdImport

extension Realm {
    /// A file of another database whose objects a configuration brings into its own file: a `.realm` file of Realm (plain or
    /// encrypted), a SQLite database, a Core Data or SwiftData store. The format is recognised by the file's bytes.
    ///
    /// ```swift
    /// var configuration = Realm.Configuration(fileURL: folder.appendingPathComponent("shop.freehold"))
    /// configuration.importing = .file(folder.appendingPathComponent("shop.realm"))
    /// let realm = try Realm(configuration: configuration)
    /// ```
    /// The first process that opens the file imports, in batches; others that open it wait until it is complete, and see
    /// nothing of it before. Killed at any moment, the import continues where it stood when the file is opened again. It is done
    /// once for ever, and the source is never written. A configuration that is `readOnly` neither imports nor waits.
    ///
    /// A schema version that the source has becomes the file's, so that a migration block sees the objects as it would have seen
    /// them there. Opening throws if the source is damaged, encrypted under another key or changed meanwhile, and if a
    /// class of it has objects in the file already.
    public struct ImportSource: Sendable {
        /// The file.
        public let fileURL: URL
        /// The key of an encrypted file.
        public let encryptionKey: Data?
        /// Tells imports into one file apart: an import of this name is done once. By default the source's file name.
        public var name: String
        /// Whether opening throws if there is no such file; otherwise nothing is imported then.
        public var mustExist = false
        /// By table or class of the source, the class its objects get; others get the class of their own name.
        // Allowed: the program's own literal; the names are compared by their bytes when they are used.
        public var classNames: [String: String] = [:]
        /// More about what tables become, a rule each: `type TABLE.COLUMN=TYPE`, `link TABLE.COLUMN=TABLE`, `join TABLE=PROPERTY`.
        public var rules: [String] = []
        /// Called every few thousand objects, on the thread that opens. Returning false stops the import; opening throws then, and the
        /// next opening continues it.
        public var onProgress: (@Sendable (Progress) -> Bool)?
        /// Called once the import is complete, by the process that completed it.
        public var onCompletion: (@Sendable (Report) -> Void)?

        /// A file, whatever its format.
        public static func file(_ url: URL, encryptionKey: Data? = nil) -> ImportSource {
            ImportSource(fileURL: url, encryptionKey: encryptionKey, name: url.lastPathComponent)
        }

        private init(fileURL: URL, encryptionKey: Data?, name: String) {
            self.fileURL = fileURL
            self.encryptionKey = encryptionKey
            self.name = name
        }

        /// How far an import is.
        public struct Progress: Sendable, Equatable {
            /// Objects written so far; those whose links are set in a second pass count twice.
            public let written: Int
            /// The number of objects to be written in all, counted in the same way.
            public let total: Int
            /// Whether another process or thread imports, and this one waits for it.
            public let isWaiting: Bool
        }

        /// What an import brought, and what of the source is not as it was.
        public struct Report: Sendable {
            /// What the source was: `Realm file, format 24`.
            public let format: String
            /// The number of objects of each class.
            // Allowed: what a program reads; no two classes have names that are spellings of one text.
            public let objectCounts: [String: Int]
            /// The number of links whose target the source did not have; they are nil.
            public let missingLinks: Int
            /// What was renamed, converted or lost, a sentence each.
            public let remarks: [String]
        }
    }
}

extension Realm.ImportSource {
    /// Imports into a database, or waits until another process has.
    func run(on database: Database) throws(FreeholdError) {
        var source = SourceFile(path: fileURL.path, key: encryptionKey.map { Array($0) })
        do throws(SourceError) {
            for rule in rules { try source.rules.add(rule) }
        } catch {
            throw FreeholdError(error, path: fileURL.path)
        }
        for (table, name) in classNames { source.rules.classNames[table] = name }
        var first = FirstOpenImport(source, name: name)
        first.mustExist = mustExist
        if let onProgress {
            first.onProgress = { onProgress(Progress(written: $0.written, total: $0.total, isWaiting: $0.isWaiting)) }
        }
        guard let summary = try first.run(on: database), let onCompletion else { return }
        // Allowed: what a program reads.
        onCompletion(Report(format: summary.format, objectCounts: Dictionary(summary.classes.map { ($0.name, $0.count) }) { $1 },
                            missingLinks: summary.missingLinks, remarks: summary.remarks.map(\.description)))
    }
}
