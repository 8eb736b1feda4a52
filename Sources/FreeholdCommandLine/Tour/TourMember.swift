import ArgumentParser
import FreeholdEngine
import Glibc

/// A process of the tour, started by `freehold tour` rather than by users.
///
/// It writes `ready`, runs until its standard input is closed, and writes its measurements: `figure NAME VALUE`, and
/// `fault TEXT` for errors.
struct TourMember: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tour-member", shouldDisplay: false)

    @Argument var role: Role
    @Argument var database: String
    @Option var number = 1
    /// Commit without waiting for the disk.
    @Flag var fast = false

    enum Role: String, ExpressibleByArgument {
        case writer, reader, watcher
    }

    func run() throws {
        let database = try Database.open(self.database)
        defer { database.close() }
        switch role {
        case .writer: try TourWriter(database, number: number, durability: fast ? .processCrash : .full).run()
        case .reader:
            var reader = try TourReader(database, seed: UInt64(number))
            try reader.run()
        case .watcher: try TourWatcher(database).run()
        }
    }

    /// Whether the parent has closed the standard input.
    static func isToEnd() -> Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) != 0
    }

    /// Writes a line at once.
    static func say(_ line: String) throws {
        try Output.standard.write(line + "\n")
        try Output.standard.flush()
    }

    /// Writes a measurement.
    static func figure(_ name: String, _ value: Double) throws {
        try Output.standard.write("figure \(name) \(value)\n")
    }

    /// Writes the percentiles that the tour shows.
    static func figures(_ latencies: Latencies) throws {
        try figure("p50", latencies.percentile(50))
        try figure("p99", latencies.percentile(99))
    }
}

/// A small random generator with the same numbers on every run.
struct TourRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }  // Safe: meant to wrap, as below.

    /// A number below `bound`.
    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407  // Safe: a linear generator wraps.
        return Int(state >> 33) % max(bound, 1)
    }
}
