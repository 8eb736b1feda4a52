/// A robust mutex of the simulated machine.
struct SimulatedMutex {
    enum Owner {
        case thread(SimulatedThread, Int)
        /// A process that called outside a run.
        case process(Int)

        var process: Int {
            switch self {
            case .thread(_, let number), .process(let number): number
            }
        }
    }

    var owner: Owner?
    /// The last owner died, and nobody has called the state consistent since.
    var needsRepair = false
    var isLost = false

    /// Its owner is no more.
    mutating func die() {
        owner = nil
        needsRepair = true
    }
}
