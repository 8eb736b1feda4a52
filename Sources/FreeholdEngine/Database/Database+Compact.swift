import Platform

/// What a compaction did.
public struct CompactReport: Sendable {
    /// Bytes of the file before and after.
    public let lengthBefore: UInt64
    public let lengthAfter: UInt64
    /// Times it went through the file.
    public let passes: Int
    /// Blocks that were moved (0 where the file was written anew).
    public let movedBlocks: Int
}

extension Database {
    /// Moves everything to the beginning of the file and cuts off its end, while this and other processes read and write.
    ///
    /// The work is done in short durable transactions, each of which others may have to wait for as for any other write. What
    /// older versions still held need stays; the file gets as short as that allows. Some room for the next commits is left.
    ///
    /// - Parameter progress: called between two transactions with the file's present length in bytes.
    @discardableResult
    public func compact(progress: ((UInt64) -> Void)? = nil) throws -> CompactReport {
        let core = try core()
        func length() throws -> UInt64 { UInt64(try core.session.file.length()) }
        let before = try length()
        var passes = 0, moved = 0
        while passes < Self.mostPasses {
            let start = core.session.memory.newest.read().root.length
            var pass: Relocation?
            while try core.relocate(&pass, timeoutMilliseconds: lockTimeoutMilliseconds) { progress?(try length()) }
            // What the last transactions freed is cut off by the next one.
            var rest: Relocation? = Relocation(line: Int.max)
            for _ in 0..<2 { _ = try core.relocate(&rest, timeoutMilliseconds: lockTimeoutMilliseconds) }
            try core.cutAfterCompaction(timeoutMilliseconds: lockTimeoutMilliseconds)
            passes += 1
            moved += pass?.movedBlocks ?? 0
            let now = core.session.memory.newest.read().root.length
            if pass?.movedBlocks ?? 0 == 0 || now + now / 64 >= start && passes > 1 { break }
        }
        return CompactReport(lengthBefore: before, lengthAfter: try length(), passes: passes, movedBlocks: moved)
    }

    private static var mostPasses: Int { 8 }

    static func compactFile(at path: String, _ options: OpenOptions, on system: any System) throws -> CompactReport {
        try FileReplacement(path: path, options: options, system: system).run()
    }

    /// Writes the file at `path` anew, object by object, so that it is as small as a fresh copy, and puts the new file in its
    /// place. Throws `.inUse` if anyone has it open.
    @discardableResult
    public static func compactFile(at path: String, _ options: OpenOptions = OpenOptions()) throws -> CompactReport {
        try compactFile(at: path, options, on: LinuxSystem.shared)
    }
}

