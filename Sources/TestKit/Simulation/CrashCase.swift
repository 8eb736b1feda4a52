import Platform

/// One crash to try: where in the log, and what survives. Its description is what a failing test prints.
public struct CrashCase: Sendable, Equatable, CustomStringConvertible {
    /// The number of operations before the crash.
    public var place: Int
    public var surviving: SurvivingWrites

    public init(place: Int, surviving: SurvivingWrites) {
        self.place = place
        self.surviving = surviving
    }

    public var description: String { "crash at operation \(place), surviving \(surviving)" }
}

extension SimulatedSystem {
    /// The crashes worth trying at every place of the log from `start` on: nothing survives, everything survives, and so
    /// many seeded subsets and torn subsets.
    public func crashCases(from start: Int = 0, seed: UInt64, subsets: Int = 1, torn: Int = 1) -> [CrashCase] {
        var seeds = SeededRandom(seed: seed)
        var cases: [CrashCase] = []
        for place in start...max(operationCount, start) {
            var survivals: [SurvivingWrites] = [.none, .all]
            // Short seeds are easier to copy from a failure.
            for _ in 0..<subsets { survivals.append(.sectors(seed: seeds.next() % 1_000_000)) }
            for _ in 0..<torn { survivals.append(.torn(seed: seeds.next() % 1_000_000)) }
            cases += survivals.map { CrashCase(place: place, surviving: $0) }
        }
        return cases
    }

    /// The machine that comes up after the crash.
    public func image(_ crash: CrashCase) -> SimulatedSystem {
        image(at: crash.place, surviving: crash.surviving, boot: .next)
    }
}
