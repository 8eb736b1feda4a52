/// A moment at which the machine may switch to another thread, or the test may strike.
public struct Step {
    /// Who is there.
    public let process: SimulatedProcess
    /// The name of a point (`commit.root-written`) or of a call (`SimulatedCall`, which is about to happen).
    public let name: String
    /// Whether it is a point, not a call.
    public let isPoint: Bool
    /// How many steps the run had before.
    public let number: Int
    /// How many steps the process had before, in all runs.
    public let processStep: Int
}

/// What a test wants to happen at a step.
public enum Verdict: Sendable, Equatable {
    case proceed
    /// The process never does anything again. A write it is about to do may have happened in part.
    case kill
    /// The process does nothing until `resume()`.
    case stop
    /// The whole machine goes dark: everybody is killed and the run ends.
    case powerCut
}

/// How a run ended.
public enum RunEnd: Sendable, Equatable {
    /// Every thread has returned or was killed.
    case finished
    /// Nobody can go on: what is left is stopped, or waits without bound.
    case idle
    case powerCut
    /// More steps than allowed; everybody was killed.
    case stepLimit
}
