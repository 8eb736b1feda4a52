/// One way through a class, for who keeps nothing of what it has passed: where more of an encrypted file is decrypted than
/// should be, the rest of the way goes through a window.
struct BlockPass {
    /// The class, to be read by way of this from now on.
    private(set) var state: TableState
    /// Nil for a plain file, and in a write transaction.
    private let snapshot: Snapshot?
    private var window: BlockWindow?
    /// Of the window, or of what stands until there is one. Looked at without counting references.
    private var gauge: ShadowGauge?

    /// - Parameter keepingBytes: pointers to what is passed are kept, so that nothing of it may go.
    init(_ table: Table, keepingBytes: Bool = false) {
        state = table.state
        snapshot = state.access.shadow == nil || keepingBytes ? nil : table.owner as? Snapshot
        gauge = snapshot?.core.shadow?.crowding
    }

    /// Whether the next step had better be a `rest`.
    @inline(__always)
    var isFull: Bool { gauge?.isOver ?? false }

    /// Gives back what was decrypted on the way; true if the way goes on with another `state`, or pointers got before have
    /// become wrong.
    mutating func rest() -> Bool {
        if let window { return window.rest() }
        guard let snapshot, let made = snapshot.window() else {
            gauge = nil
            return false
        }
        made.enter()
        _ = made.rest()
        window = made
        gauge = made.fullness
        state = snapshot.state(state, through: made)
        return true
    }

    /// Another class of the same snapshot, to be read along the way.
    func state(of other: Table) -> TableState {
        guard let window, let snapshot else { return other.state }
        return snapshot.state(other.state, through: window)
    }

    func end() { window?.leave() }
}
