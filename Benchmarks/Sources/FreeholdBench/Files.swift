import FreeholdEngine
import Glibc

/// The files a workload works on. `bulk_insert` makes the first; a workload that writes takes a copy of it.
enum Files {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func length(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Removes a database that is closed everywhere, if it is there.
    static func remove(_ path: String) throws {
        if exists(path) { try Database.deleteFiles(at: path) }
    }

    /// Copies a closed database and flushes the copy, so that writing it back falls into nobody's timing.
    static func copy(_ from: String, to: String) throws {
        try remove(to)
        let input = open(from, O_RDONLY | O_CLOEXEC)
        let output = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer {
            close(input)
            close(output)
        }
        guard input >= 0, output >= 0 else { throw BenchmarkError("cannot copy \(from) to \(to)") }
        // In pieces as long as the engine's own writes: the page cache's pieces are part of what small writes cost.
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(input, &buffer, buffer.count)
            guard count >= 0 else { throw BenchmarkError("cannot read \(from)") }
            if count == 0 { break }
            guard write(output, buffer, count) == count else { throw BenchmarkError("cannot write \(to)") }
        }
        guard fsync(output) == 0 else { throw BenchmarkError("cannot flush \(to)") }
    }
}
