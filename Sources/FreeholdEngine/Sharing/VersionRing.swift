// Safe throughout: an entry's index is reduced to the ring's size.
import Synchronization

/// The last 256 published versions: their roots and when they were published.
///
/// ```
///  0  version (0 while the entry is being written)    8  published, monotonic nanoseconds
/// 16  length                                          24  reserved
/// ```
/// The writer fills it, under its lock. Nothing depends on an entry being there: versions that must be held have words
/// of their own. It serves information, and truncation (an unknown length counts as the whole file's).
struct VersionRing {
    let base: UnsafeMutableRawPointer

    struct Entry {
        let length: UInt64
        let publishedNanoseconds: UInt64
    }

    func record(_ root: Root, now: UInt64) {
        let entry = address(of: root.version)
        SharedWord(entry, 0).storeInOrder(0)
        SharedWord(entry, 8).storeRelaxed(now)
        SharedWord(entry, 16).storeRelaxed(root.length)
        SharedWord(entry, 0).store(root.version)
    }

    func entry(of version: UInt64) -> Entry? {
        let entry = address(of: version)
        guard SharedWord(entry, 0).load() == version else { return nil }
        let found = Entry(
            length: SharedWord(entry, 16).loadRelaxed(), publishedNanoseconds: SharedWord(entry, 8).loadRelaxed())
        atomicMemoryFence(ordering: .acquiring)
        return SharedWord(entry, 0).loadRelaxed() == version ? found : nil
    }

    private func address(of version: UInt64) -> UnsafeMutableRawPointer {
        base + LockLayout.ring + Int(version % UInt64(LockLayout.ringEntries)) * LockLayout.ringEntryBytes
    }
}
