import FreeholdEngine
import Glibc

extension Bench {
    /// A long value (1 KiB for each object asked for) streamed in and made durable, beside what the disk does with a plain file of the
    /// same length: the two take turns, the medians of three count. Then the same while another process commits single objects: what
    /// its commits take meanwhile, what they take when nobody streams, and what they take beside the plain file.
    func blob() throws {
        let length = count << 10, path = arguments.path("blob")
        var plain: [Double] = [], streamed: [Double] = []
        for _ in 0..<3 {
            plain.append(try plainSeconds(length))
            try makeBlobFile(path)
            try opening(path) { streamed.append(try streamSeconds(length, into: $0)) }
            try Files.remove(path)
        }
        plain.sort()
        streamed.sort()
        Output.figure("blob", Double(length) / streamed[1] / 1e6, "MB/s")
        Output.figure("blob_disk", Double(length) / plain[1] / 1e6, "MB/s")
        Output.figure("blob_ratio", plain[1] / streamed[1], "ratio")
        for role in ["blob_fast", "blob_durable"] { try besideWriter(role, length, path) }
    }

    private func besideWriter(_ role: String, _ length: Int, _ path: String) throws {
        try makeBlobFile(path)
        let children = try Children(arguments)
        try children.spawn(role)
        try children.start()
        let phase = children.page.reads(0)
        phase.set(TimedCommits.Phase.usual.rawValue)
        sleep(3)
        phase.set(TimedCommits.Phase.disk.rawValue)
        let plain = try plainSeconds(length)
        phase.set(TimedCommits.Phase.none.rawValue)
        var taken = 0.0
        try opening(path) { database in
            taken = try streamSeconds(length, into: database, whenReady: { phase.set(TimedCommits.Phase.beside.rawValue) })
        }
        phase.set(TimedCommits.Phase.none.rawValue)
        try children.finish()
        Output.figure("\(role)_ratio", plain / taken, "ratio")
        try Files.remove(path)
    }

    private func makeBlobFile(_ path: String) throws {
        try Files.remove(path)
        try opening(path) { database in
            try database.write {
                try $0.createClass(PersonTable.schema)
                try $0.createClass(ClassSchema("Film", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("frames", .data)]))
                try $0.insert(into: "Film", key: .int(1), [])
            }
        }
    }

    private static let piece: [UInt8] = {
        var stream = SplitMix64(seed: 7)
        return (0..<1 << 20).map { _ in UInt8(stream.next(below: 256)) }
    }()

    private func streamSeconds(_ length: Int, into database: Database, whenReady: () -> Void = {}) throws -> Double {
        let piece = Self.piece
        sync()
        whenReady()
        return try seconds {
            let value = try database.beginLargeValue(expectedByteCount: length)
            for start in stride(from: 0, to: length, by: piece.count) {
                // Safe: the pointer is used up before the call returns.
                try piece.withUnsafeBytes { try value.write(UnsafeRawBufferPointer(rebasing: $0[..<min(piece.count, length - start)])) }
            }
            try value.finish()
            try database.write { transaction in
                let films = try transaction.table("Film")
                try transaction.set(ObjectKey(1), in: films, films.column("frames"), to: value)
            }
        }
    }

    /// What `dd bs=1M conv=fsync` does.
    private func plainSeconds(_ length: Int) throws -> Double {
        let path = arguments.path("blob-plain"), piece = Self.piece
        defer { unlink(path) }
        sync()
        return try seconds {
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            defer { close(file) }
            for start in stride(from: 0, to: length, by: piece.count) {
                let count = min(piece.count, length - start)
                guard write(file, piece, count) == count else { throw BenchmarkError("cannot write \(path)") }
            }
            guard fsync(file) == 0 else { throw BenchmarkError("cannot flush \(path)") }
        }
    }
}

/// Commits single objects and notes how long each takes, apart by what the parent is doing.
struct TimedCommits {
    enum Phase: Int, CaseIterable { case none, usual, beside, disk }

    static func run(_ role: String, _ durability: Durability, _ arguments: Arguments, _ page: SharedPage) throws {
        let database = try Database.open(arguments.path("blob"))
        defer { database.close() }
        let persons = try withPersons(database) { $0 }, set = PersonSet(from: 0, count: 1000)
        var taken = [[Double]](repeating: [], count: Phase.allCases.count), written = 0
        page.waitForGo()
        while !page.isStopped {
            let phase = page.reads(0).value
            set.renumber(written % 1000, to: Int64(written))
            taken[phase].append(try seconds { try persons.insertAlone(set.persons[written % 1000], of: set, into: database, durability) } * 1e6)
            written += 1
        }
        for phase in Phase.allCases.dropFirst() {
            let times = taken[phase.rawValue].sorted()
            guard let longest = times.last else { continue }
            Output.figure("\(role)_\(phase)_p50", times[times.count / 2], "us")
            Output.figure("\(role)_\(phase)_p99", times[times.count * 99 / 100], "us")
            Output.figure("\(role)_\(phase)_longest", longest, "us")
        }
    }
}
