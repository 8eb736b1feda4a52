/// One pass through a class for a caller that keeps nothing of what it has passed. Once more of an encrypted file is
/// decrypted than should be, the rest of the pass goes through a window.
struct BlockPass {
    /// The class; everything is read by way of this from now on.
    private(set) var state: TableState
    /// Nil for a plain file, and in a write transaction.
    private let owner: (any TableOwner)?
    private var window: BlockWindow?
    /// The gauge of the window, or of the memory in use until there is a window. Read without counting references.
    private var gauge: ShadowGauge?

    /// - Parameter keepingBytes: the caller keeps pointers to what is passed, so none of it may be given back.
    init(_ table: Table, keepingBytes: Bool = false) {
        state = table.state
        owner = state.access.shadow == nil || keepingBytes ? nil : table.owner
        gauge = owner?.crowding
    }

    /// Whether the next step should be a `rest`.
    @inline(__always)
    var isFull: Bool { gauge?.isOver ?? false }

    /// Gives back what was decrypted during the pass. True if the pass continues with another `state`, or pointers
    /// taken before are now invalid.
    mutating func rest() -> Bool {
        if let window { return window.rest() }
        guard let owner, let made = owner.window() else {
            gauge = nil
            return false
        }
        made.enter()
        _ = made.rest()
        window = made
        gauge = made.fullness
        state = owner.state(state, through: made)
        return true
    }

    /// Another class of the same snapshot, to be read during this pass.
    func state(of other: Table) -> TableState {
        guard let window, let owner else { return other.state }
        return owner.state(other.state, through: window)
    }

    func end() { window?.leave() }
}
