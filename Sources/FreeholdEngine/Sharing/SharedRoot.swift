// Safe throughout: both copies lie within the 256 bytes that `LockLayout` sets aside for each of these.
import Synchronization

/// A root in shared memory: one process at a time replaces it, and any number read it without waiting.
///
/// ```
///   0  sequence      copy (sequence & 1) is the current one
///  64  copy 0, 72 bytes
/// 160  copy 1, 72 bytes
/// ```
/// 1. Writers (serialised by a lock) fill the other copy, then advance the sequence. A writer that dies or is stopped
///    in between has changed nothing, so readers never wait for it.
/// 2. A copy read between two equal sequences is whole.
/// 3. Version 0 means none.
struct SharedRoot {
    static let firstCopy = 64
    static let copyStride = 96
    static let byteCount = 256

    private let base: UnsafeMutableRawPointer
    private let firstCopyOffset: Int
    private let sequenceWord: SharedWord

    /// - Parameters:
    ///   - sequenceOffset: the offset of the sequence.
    ///   - copiesOffset: the offset of the first copy.
    @inline(__always)
    init(_ base: UnsafeMutableRawPointer, sequence sequenceOffset: Int, copies copiesOffset: Int) {
        self.base = base
        firstCopyOffset = copiesOffset
        sequenceWord = SharedWord(base, sequenceOffset)
    }

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer, at offset: Int) {
        self.init(base, sequence: offset, copies: offset + Self.firstCopy)
    }

    /// The sequence, which changes with every replacement.
    @inline(__always) var sequence: UInt64 { sequenceWord.loadInOrder() }

    /// The version of the copy that belongs to `sequence`; only right if the sequence has not moved since.
    @inline(__always)
    func version(at sequence: UInt64) -> UInt64 { word(0, at: sequence).loadRelaxed() }

    /// The copy that belongs to `sequence`; only right if the sequence has not moved since.
    @inline(__always)
    func root(at sequence: UInt64) -> Root {
        Root(
            version: word(0, at: sequence).loadRelaxed(), lastFull: word(1, at: sequence).loadRelaxed(),
            length: word(2, at: sequence).loadRelaxed(),
            top: BlockReference(
                location: word(3, at: sequence).loadRelaxed(), birth: word(4, at: sequence).loadRelaxed(),
                check: word(5, at: sequence).loadRelaxed(), tag: word(6, at: sequence).loadRelaxed()),
            readFeatures: word(7, at: sequence).loadRelaxed(), writeFeatures: word(8, at: sequence).loadRelaxed())
    }

    /// Whether the sequence is still `sequence`: then everything read for it before is right.
    @inline(__always)
    func isStill(_ sequence: UInt64) -> Bool {
        atomicMemoryFence(ordering: .acquiring)
        return sequenceWord.loadInOrder() == sequence
    }

    /// The root and the sequence it belongs to.
    func read() -> (root: Root, sequence: UInt64) {
        while true {
            let sequence = sequence
            let root = root(at: sequence)
            if isStill(sequence) { return (root, sequence) }
        }
    }

    /// The version of the root.
    var version: UInt64 {
        while true {
            let sequence = sequence
            let version = version(at: sequence)
            if isStill(sequence) { return version }
        }
    }

    /// Replaces the root; a reader that sees it sees everything stored before. The caller holds the word's lock.
    func write(_ root: Root) {
        let next = sequenceWord.loadRelaxed() &+ 1  // wraps after 2^64 commits: never
        word(0, at: next).storeRelaxed(root.version)
        word(1, at: next).storeRelaxed(root.lastFull)
        word(2, at: next).storeRelaxed(root.length)
        word(3, at: next).storeRelaxed(root.top.location)
        word(4, at: next).storeRelaxed(root.top.birth)
        word(5, at: next).storeRelaxed(root.top.check)
        word(6, at: next).storeRelaxed(root.top.tag)
        word(7, at: next).storeRelaxed(root.readFeatures)
        word(8, at: next).storeRelaxed(root.writeFeatures)
        sequenceWord.storeInOrder(next)
    }

    /// Clears the root to `none`.
    func clear() { write(.none) }

    @inline(__always)
    private func word(_ index: Int, at sequence: UInt64) -> SharedWord {
        let copy = Int(truncatingIfNeeded: sequence & 1) &* Self.copyStride
        return SharedWord(base, firstCopyOffset &+ copy &+ index &* 8)
    }
}

extension Root {
    /// The absence of a root, as stored in shared words.
    static let none = Root(
        version: 0, lastFull: 0, length: 0, top: .null, readFeatures: 0, writeFeatures: 0)
}
