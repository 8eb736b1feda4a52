import FreeholdEngine
import Synchronization

/// A database that the program has open, for all tabs.
public final class OpenFile: Sendable {
    /// Names the file in requests.
    public let identifier: String
    public let path: String
    public let database: Database
    /// Why it cannot be changed; nil if it can.
    public let readOnlyReason: String?
    public let isEncrypted: Bool
    /// Why it cannot be read any longer.
    private let failure = Mutex<String?>(nil)
    /// The classes as pages have seen them last: changes mean one of these.
    private let shown = Mutex<[[ClassSchema]]>([])
    private static let shownLimit = 8

    public init(_ identifier: String, _ path: String, _ database: Database, readOnlyReason: String?, isEncrypted: Bool) {
        (self.identifier, self.path, self.database) = (identifier, path, database)
        (self.readOnlyReason, self.isEncrypted) = (readOnlyReason, isEncrypted)
    }

    public var isWritable: Bool { readOnlyReason == nil }

    /// Records that it cannot be read any longer; returns whether that is new.
    func fail(_ message: String) -> Bool {
        failure.withLock { failure in
            defer { failure = message }
            return failure == nil
        }
    }

    /// Records that a page was shown these classes.
    func noteShown(_ classes: [ClassSchema]) {
        shown.withLock { shown in
            if shown.last == classes { return }
            shown.append(classes)
            if shown.count > Self.shownLimit { shown.removeFirst() }
        }
    }

    var shownClasses: [[ClassSchema]] { shown.withLock { $0 } }

    /// The file as the page lists it.
    public func write(to output: inout JSONOutput) {
        output.object { output in
            output.field("id", identifier)
            output.field("path", path)
            output.field("name", String(path.split(separator: "/").last ?? "?"))
            output.field("writable", isWritable)
            if let readOnlyReason { output.field("readOnlyBecause", readOnlyReason) }
            output.field("encrypted", isEncrypted)
            if let failure = failure.withLock({ $0 }) { output.field("error", failure) }
        }
    }
}
