import FreeholdEngine
import Glibc
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
    /// Why it is not what its path leads to any longer.
    private let failure = Mutex<String?>(nil)
    /// What the path led to when it was opened.
    private let place: FilePlace?
    /// The classes as pages have seen them last: changes mean one of these.
    private let shown = Mutex<[[ClassSchema]]>([])
    private static let shownLimit = 8

    public init(_ identifier: String, _ path: String, _ database: Database, readOnlyReason: String?, isEncrypted: Bool) {
        (self.identifier, self.path, self.database) = (identifier, path, database)
        (self.readOnlyReason, self.isEncrypted) = (readOnlyReason, isEncrypted)
        place = FilePlace(path)
    }

    public var isWritable: Bool { readOnlyReason == nil }

    /// Looks whether the path still leads to the file that was opened. A file that was replaced goes on to be read here, but a change
    /// would be one of the old file, which nobody opens any more.
    ///
    /// - Returns: whether that has just been noticed.
    @discardableResult
    func checkPlace() -> Bool {
        let now = FilePlace(path)
        return failure.withLock { failure in
            if now == place || failure != nil { return false }
            failure = now == nil ? "the file was deleted or moved; what is shown is what was there"
                : "another file has taken this one's place; close it here and open it again"
            return true
        }
    }

    /// Why it is not to be used any longer.
    var failureText: String? { failure.withLock { $0 } }

    /// Records that a page was shown these classes.
    func noteShown(_ classes: [ClassSchema]) {
        shown.withLock { shown in
            if shown.last == classes { return }
            shown.append(classes)
            if shown.count > Self.shownLimit { shown.removeFirst() }
        }
    }

    var shownClasses: [[ClassSchema]] { shown.withLock { $0 } }

    /// Throws why it is not to be changed.
    public func requireWritable() throws(BrowserError) {
        if let readOnlyReason { throw BrowserError(.forbidden, readOnlyReason) }
        checkPlace()
        if let failureText { throw BrowserError(.conflict, failureText) }
    }

    /// The file as the page lists it.
    public func write(to output: inout JSONOutput) {
        output.object { output in
            output.field("id", identifier)
            output.field("path", path)
            output.field("name", String(path.split(separator: "/").last ?? "?"))
            output.field("writable", isWritable)
            if let readOnlyReason { output.field("readOnlyBecause", readOnlyReason) }
            output.field("encrypted", isEncrypted)
            if let failureText { output.field("error", failureText) }
        }
    }
}

/// What a path leads to.
private struct FilePlace: Equatable {
    private let device: UInt
    private let inode: UInt

    /// Nil if it leads nowhere.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
    }
}
