// Safe throughout: an entry's index is reduced to the ring's size.
import Synchronization

/// The last 256 published versions: their lengths, when they were published and by whom.
///
/// ```
///  0  version (0 while the entry is being written)    8  published, monotonic nanoseconds
/// 16  length                                          24  process id of the committer | low half of the version << 32
/// ```
/// A program that does not know the last word leaves it as it is, of another version then: its half of the version tells.
/// It is 0 where nobody is known, as another process published what a killed one had committed.
///
/// The writer fills it, under its lock. Nothing depends on an entry being there: versions that must be held have words
/// of their own. It serves information, and truncation (an unknown length counts as the whole file's).
struct VersionRing {
    let base: UnsafeMutableRawPointer

    struct Entry {
        let length: UInt64
        let publishedNanoseconds: UInt64
        /// The process that committed the version; nil if that is not known.
        let committer: Int32?
    }

    /// - Parameter committer: the id of the process that committed; nil for the commit of another process.
    func record(_ root: Root, now: UInt64, by committer: Int32?) {
        let entry = address(of: root.version)
        SharedWord(entry, 0).storeInOrder(0)
        SharedWord(entry, 8).storeRelaxed(now)
        SharedWord(entry, 16).storeRelaxed(root.length)
        SharedWord(entry, 24).storeRelaxed(committer.map { Self.half(of: root.version) << 32 | UInt64(UInt32(bitPattern: $0)) } ?? 0)
        SharedWord(entry, 0).store(root.version)
    }

    func entry(of version: UInt64) -> Entry? {
        let entry = address(of: version)
        guard SharedWord(entry, 0).load() == version else { return nil }
        let committer = SharedWord(entry, 24).loadRelaxed(), process = Int32(truncatingIfNeeded: committer)
        let found = Entry(
            length: SharedWord(entry, 16).loadRelaxed(), publishedNanoseconds: SharedWord(entry, 8).loadRelaxed(),
            committer: committer >> 32 == Self.half(of: version) && process > 0 ? process : nil)
        atomicMemoryFence(ordering: .acquiring)
        return SharedWord(entry, 0).loadRelaxed() == version ? found : nil
    }

    private static func half(of version: UInt64) -> UInt64 { version & 0xFFFF_FFFF }

    private func address(of version: UInt64) -> UnsafeMutableRawPointer {
        base + LockLayout.ring + Int(version % UInt64(LockLayout.ringEntries)) * LockLayout.ringEntryBytes
    }
}
