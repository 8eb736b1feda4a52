// Safe throughout: the words lie within the 512 bytes that `LockLayout` sets aside for them.

/// The newest version that any reader may read: everything `.full` at or below it is durable.
///
/// Two parties raise it, the writer and the leader of a flush, under different locks, and neither may wait for the
/// other. So each has a word of its own and the higher one counts.
///
/// ```
///   0  sequence of the writer's word     8  sequence of the leader's word
///  64  writer's copies 0 and 1         288  leader's copies 0 and 1
/// ```
/// 1. A version read while *both* sequences are unchanged was the visible one all that time.
/// 2. The lower word holds nothing: no reader reads through it.
struct VisibleRoot {
    let byWriter: SharedRoot
    let byLeader: SharedRoot

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer, at offset: Int) {
        byWriter = SharedRoot(base, sequence: offset, copies: offset + 64)
        byLeader = SharedRoot(base, sequence: offset + 8, copies: offset + 288)
    }

    /// One state of both words: their sequences.
    struct Moment: Equatable {
        let writer: UInt64
        let leader: UInt64

        /// A moment that never comes.
        static let never = Moment(writer: .max, leader: .max)
    }

    @inline(__always) var moment: Moment { Moment(writer: byWriter.sequence, leader: byLeader.sequence) }

    /// The visible root at `moment`; only right if `isStill(moment)` holds afterwards.
    @inline(__always)
    func root(at moment: Moment) -> Root {
        let isWriters = byWriter.version(at: moment.writer) >= byLeader.version(at: moment.leader)
        return isWriters ? byWriter.root(at: moment.writer) : byLeader.root(at: moment.leader)
    }

    @inline(__always)
    func isStill(_ moment: Moment) -> Bool {
        byWriter.isStill(moment.writer) && byLeader.isStill(moment.leader)
    }

    /// The present visible root.
    func read() -> Root {
        while true {
            let moment = moment
            let root = root(at: moment)
            if isStill(moment) { return root }
        }
    }

    var version: UInt64 { read().version }
}
