import FreeholdEngine
import Glibc

/// Jobs on a file: checking it, and seeing what a salvage would save.
public enum FileJobs {
    public static func check(_ file: OpenFile, _ progress: JobProgress) throws -> [UInt8] {
        let report = try file.database.check { progress.note($0.done, $0.total, $0.place) }
        return JSONOutput.object { output in
            output.field("version", report.version)
            output.field("clean", report.isClean)
            output.array("problems") { output in
                for problem in report.problems {
                    output.elementObject { output in
                        output.field("kind", problem.kind.rawValue)
                        output.field("place", problem.place)
                        output.field("message", problem.message)
                    }
                }
            }
        }
    }
}

extension FileJobs {
    /// What a salvage of the file would save and lose. It works on a copy beside the file, which is deleted again: the file itself
    /// stays open and is only read.
    public static func salvage(_ file: OpenFile, _ key: EncryptionKey?, _ progress: JobProgress) throws -> [UInt8] {
        removeLeftovers(of: file.path)
        let copy = file.path + mark + "\(getpid())", salvaged = copy + "-salvaged"
        defer { removeLeftovers(of: file.path, process: getpid()) }
        // The version's blocks are not written over while they are copied.
        let snapshot = try file.database.snapshot()
        try self.copy(file.path, to: copy) { progress.note($0, $1, "copying the file") }
        snapshot.end()
        progress.note(0, 0, "salvaging the copy")
        let report = try Database.salvage(from: copy, to: salvaged, key: key)
        return JSONOutput.object { output in
            output.field("complete", report.isComplete)
            output.field("objects", report.objects)
            output.field("notes", report.notes)
            output.array("classes") { output in
                for salvaged in report.classes {
                    output.elementObject { output in
                        output.field("name", salvaged.name)
                        output.field("objects", salvaged.objects)
                        if let lost = salvaged.lostObjects { output.field("lost", lost) } else { output.field("lost") { $0.raw("null") } }
                        output.field("lostValues", salvaged.lostValues.sortedByKey.reduce(0) { $0 + $1.value })
                        output.field("complete", salvaged.isComplete)
                    }
                }
            }
        }
    }

    private static let mark = ".salvage-report-"

    /// Deletes what reports that were killed have left: the copies of processes that are gone, or of one process.
    private static func removeLeftovers(of path: String, process: pid_t? = nil) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/"), start = "\(parts.last ?? "")\(mark)"
        guard let open = opendir(folder.isEmpty ? "/" : folder) else { return }
        defer { closedir(open) }
        while let entry = readdir(open) {
            // Safe: the entry is valid until the next one is read; its name ends with a zero.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(start), let owner = pid_t(name.dropFirst(start.count).prefix { $0.isNumber }) else { continue }
            let isGone = owner != getpid() && kill(owner, 0) != 0 && errno == ESRCH
            if isGone || owner == process { unlink("\(folder)/\(name)") }
        }
    }

    private static func copy(_ path: String, to target: String, _ progress: (Int, Int) -> Void) throws {
        func failed(_ what: String) -> BrowserError { BrowserError(.busy, "\(what): \(String(cString: strerror(errno)))") }
        let source = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw failed("cannot read \(path)") }
        defer { Glibc.close(source) }
        let made = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw failed("cannot create the copy \(target)") }
        defer { Glibc.close(made) }
        var status = stat(), done = 0
        guard fstat(source, &status) == 0 else { throw failed("cannot read \(path)") }
        let total = Int(status.st_size)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while done < total {
            let count = read(source, &buffer, min(buffer.count, total - done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failed("cannot read \(path)") }
            if count == 0 { return }
            var written = 0
            while written < count {
                let more = buffer[written..<count].withUnsafeBytes { write(made, $0.baseAddress, $0.count) }
                if more < 0, errno == EINTR { continue }
                guard more > 0 else { throw failed("cannot write the copy \(target)") }
                written += more
            }
            done += count
            progress(done, total)
        }
    }
}
