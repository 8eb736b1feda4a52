// Safe throughout: the slot's word lies in the mapped lock file, the fork word lives as long as the process.
import Platform

/// Whether this process may still take part in the session: it is the process that opened the database, not a forked
/// child, and its slot is still its own. A trivial value: readers check it with every pin.
struct ProcessLease: @unchecked Sendable {
    /// The state of this process's slot; a value other than `liveState` means that the lease is lost, or given back.
    let slotState: SharedWord
    let liveState: UInt64
    let forkWord: UnsafePointer<UInt32>
    let forkGeneration: UInt32

    /// Whether this process still has its lease. The fork is checked first: in a child the slot's memory cannot be
    /// read.
    @inline(__always)
    var isValid: Bool { !isForked && slotState.loadRelaxed() == liveState }

    /// Whether the fork word says that this process is a child of the one that opened.
    @inline(__always) var isForked: Bool { forkWord.pointee != forkGeneration }
}
