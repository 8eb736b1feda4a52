import Platform

/// The result of a compaction.
public struct CompactReport: Sendable {
    /// Bytes of the file before and after.
    public let lengthBefore: UInt64
    public let lengthAfter: UInt64
    /// The number of passes through the file.
    public let passes: Int
    /// The number of blocks moved (0 if the file was rewritten).
    public let movedBlocks: Int
}

extension Database {
    /// Moves everything to the beginning of the file and cuts off its end, while this and other processes read and write.
    ///
    /// The work is done in short durable transactions, each of which others may have to wait for as for any other write. Some room for the
    /// next commits is left. The file does not get longer; one that can hardly get shorter stays as it is.
    ///
    /// What older held versions need stays. While a reader holds a version from before, blocks are moved only to where
    /// the file has room, and compaction ends when there is none: run it again once the reader has released it.
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
            var relocation: Relocation?
            while try core.relocate(&relocation, timeoutMilliseconds: lockTimeoutMilliseconds) { progress?(try length()) }
            passes += 1
            guard let pass = relocation, pass.movedBlocks > 0 || !pass.isHeldBack else { break }
            // What the last transactions freed is cut off by the next one.
            for _ in 0..<2 { try core.rest(timeoutMilliseconds: lockTimeoutMilliseconds) }
            try core.cutAfterCompaction(timeoutMilliseconds: lockTimeoutMilliseconds)
            moved += pass.movedBlocks
            let now = core.session.memory.newest.read().root.length
            if pass.movedBlocks == 0 || pass.isHeldBack || now + now / 64 >= start && passes > 1 { break }
        }
        try core.cutAfterCompaction(timeoutMilliseconds: lockTimeoutMilliseconds)
        return CompactReport(lengthBefore: before, lengthAfter: try length(), passes: passes, movedBlocks: moved)
    }

    private static var mostPasses: Int { 8 }

    static func compactFile(at path: String, _ options: OpenOptions, on system: any System) throws -> CompactReport {
        try FileReplacement(path: path, options: options, system: system).run()
    }

    /// Rewrites the file at `path`, object by object, so that it is as small as a fresh copy, and replaces the old file
    /// by the new one. Throws `.inUse` if any process has it open.
    @discardableResult
    public static func compactFile(at path: String, _ options: OpenOptions = OpenOptions()) throws -> CompactReport {
        try compactFile(at: path, options, on: LinuxSystem.shared)
    }
}

