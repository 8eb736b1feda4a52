import Platform

/// The calls that can be made to fail, and that count as steps of a simulated process.
public enum SimulatedCall: String, Sendable {
    case open, remove, rename, status, makeDirectory, list, synchronizeDirectory, setPermissions, fileSystem
    case read, write, synchronize, writeBack, setLength, allocate, punchHole, map
    case lockByte, unlockByte, queryByte, close
    case wait, wake, sleep, startThread
    case lockMutex, unlockMutex
    case makePipe, openPipe, tell, drain, setAlarm, awaitPipe
}

/// An order to let calls of simulated processes fail.
public struct FaultRule: Sendable {
    /// Which call.
    public var call: SimulatedCall
    /// Only on paths that end so; nil is every path.
    public var pathEnding: String?
    /// How many matching calls go well first.
    public var skipping: Int
    /// How many fail then.
    public var times: Int
    /// The error number they fail with (`ErrorNumber`).
    public var code: Int32
    /// A failing write has written some of its bytes.
    public var writesPart: Bool

    public init(
        _ call: SimulatedCall, code: Int32, pathEnding: String? = nil, skipping: Int = 0, times: Int = .max,
        writesPart: Bool = false
    ) {
        self.call = call
        self.code = code
        self.pathEnding = pathEnding
        self.skipping = skipping
        self.times = times
        self.writesPart = writesPart
    }
}

extension SimulatedSystem {
    /// The failure ordered for this call, if any; counts it.
    func fault(_ call: SimulatedCall, _ path: String) -> FaultRule? {
        for index in faults.indices where faults[index].call == call {
            if let ending = faults[index].pathEnding, !path.hasSuffix(ending) { continue }
            if faults[index].skipping > 0 {
                faults[index].skipping -= 1
            } else if faults[index].times > 0 {
                faults[index].times -= 1
                return faults[index]
            }
        }
        return nil
    }
}
