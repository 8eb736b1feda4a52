import ContractKit
@testable import FreeholdEngine
import Glibc
import Synchronization

/// A process that does one thing for each line it reads.
final class Obedient {
    private var database: Database?
    private var snapshot: Snapshot?
    private var transaction: WriteTransaction?
    private var options = OpenOptions()
    private var input = LineReader()
    private var listener: ChangeListener?
    private var others: [String] = []

    func run() {
        while let line = input.next(waitMilliseconds: -1) {
            let words = line.split(separator: " ").map(String.init)
            do {
                Console.say(try perform(words[0], Array(words.dropFirst())))
            } catch let error as FreeholdError {
                Console.say("error \(error.code.name) \(error)")
            } catch {
                Console.say("error other \(error)")
            }
        }
    }

    private func perform(_ verb: String, _ arguments: [String]) throws -> String {
        switch verb {
        case "open", "open-read-only":
            var options = verb == "open" ? options : .readOnly
            options.encryptionKey = Ledger.options(for: arguments[0]).encryptionKey
            database = try Database.open(arguments[0], options)
            return "open"
        case "close":
            snapshot = nil
            transaction = nil
            listener = nil
            database?.close()
            database = nil
            return "closed"
        case "prepare":
            try Ledger.prepare(opened())
            return "prepared"
        case "append":
            let (writer, sequence) = (Int64(arguments[0])!, Int64(arguments[1])!)
            let made = try Ledger.append(
                to: opened(), writer: writer, sequence: sequence, arguments[2] == "full" ? .full : .processCrash,
                noteLength: arguments.count > 3 ? Int(arguments[3])! : 20)
            return "A \(writer) \(sequence) \(made)"
        case "begin":
            transaction = try opened().beginWrite(timeoutMilliseconds: Int(arguments[0]))
            return "begun"
        case "rollback":
            transaction?.rollback()
            return "rolled back"
        case "pin":
            snapshot = try opened().snapshot()
            try Ledger.examine(snapshot!)
            return "pinned"
        case "examine":
            try Ledger.examine(snapshot!)
            return "whole"
        case "look":
            return "entries \(try Ledger.examine(opened().snapshot()).entries)"
        case "look-own": return "own \(try Ledger.entries(opened().snapshot())[Int64(1)]?.count ?? 0)"
        case "hold":
            snapshot = try opened().snapshot()
            return "held"
        case "sum":
            let table = try snapshot!.table(arguments[0])
            return "sum \(try table.sum(table.column(arguments[1])))"
        case "read-all":
            return "read \(try Ledger.entries(snapshot!).values.reduce(0) { $0 + $1.count })"
        case "check":
            let report = try opened().check()
            return report.isClean ? "clean" : "problems \(report.problems.prefix(3))"
        case "holders":
            return "holders" + (try opened().information().holders.map { " \($0.processIdentifier)" }.joined())
        default: return try performUnusual(verb, arguments)
        }
    }

    private func performUnusual(_ verb: String, _ arguments: [String]) throws -> String {
        switch verb {
        case "wait":
            let seen = try opened().waitForChange(after: Version(UInt64(arguments[0])!), timeoutMilliseconds: 20_000)
            return seen == nil ? "unchanged" : "changed"
        case "flush-patience":
            options.flushTimeoutMilliseconds = Int(arguments[0])!
            return "set"
        case "become":
            let identity = uid_t(arguments[0])!
            guard setgroups(0, nil) == 0, setgid(identity) == 0, setuid(identity) == 0 else { throw Complaint("cannot become \(identity)") }
            return "became"
        case "limit-file-size":
            var limit = rlimit(rlim_cur: rlim_t(arguments[0])!, rlim_max: rlim_t(arguments[0])!)
            Glibc.signal(SIGXFSZ, SIG_IGN)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { throw Complaint("no limit") }
            return "limited"
        case "close-descriptors":
            closefrom(3)
            return "closed"
        case "commit-after-closing":
            let writing = try opened().beginWrite()
            try writing.insert(into: "Writer", key: .int(99), [("last", .int(0))])
            closefrom(3)
            return "committed \(try writing.commit(arguments[0] == "full" ? .full : .processCrash))"
        case "close-among-others":
            // The numbers that the database had go to other files, which its end must leave open.
            closefrom(3)
            let others = (0..<64).map { _ in Glibc.open("/dev/null", O_RDWR | O_CLOEXEC) }
            (snapshot, transaction, database) = (nil, nil, nil)
            return "left \(others.count { fcntl($0, F_GETFD) >= 0 })"
        case "close-among-files":
            // The numbers that the database had go to files of the program's own, into which it must not write.
            closefrom(3)
            others = (0..<64).map { arguments[0] + "/own-\($0)" }
            for path in others { _ = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
            return "opened"
        case "own-bytes":
            return "own \(others.reduce(0) { sum, path in var status = stat(); return lstat(path, &status) == 0 ? sum + Int(status.st_size) : -1 })"
        case "flush":
            try opened().flush()
            return "flushed"
        case "leave-child":
            return "child \(try leaveChild())"
        case "listen":
            listener = try opened().listen()
            return "listening"
        case "fork":
            return try forked()
        case "fork-busy":
            return try forkedWhileBusy()
        default: return try performWork(verb, arguments)
        }
    }

    /// What takes its time.
    private func performWork(_ verb: String, _ arguments: [String]) throws -> String {
        switch verb {
        case "swell":
            try Ledger.swell(opened())
            return "swollen"
        case "stream":
            try Ledger.stream(to: opened())
            return "streamed"
        case "index":
            guard let building = Ledger.Building(rawValue: arguments[0]) else { throw Complaint("no way to build: \(arguments[0])") }
            try Ledger.index(opened(), building)
            return "indexed"
        case "compact-anew":
            try Database.compactFile(at: arguments[0], Ledger.options(for: arguments[0]))
            return "compacted"
        case "back-up":
            try Database.open(arguments[0], Ledger.options(for: arguments[0])).backup(to: arguments[1])
            return "backed up"
        case "reserved":
            return "reserved \(try opened().information().reservedBytes)"
        default: return "error other unknown verb \(verb)"
        }
    }

    private func opened() throws -> Database {
        guard let database else { throw Complaint("nothing is open") }
        return database
    }

    /// A forked child that lives on and does nothing. It answers nobody, so that its parent's end is seen.
    private func leaveChild() throws -> Int32 {
        let child = forkProcess()
        if child != 0 { return child }
        for descriptor in Int32(0)...2 { Glibc.close(descriptor) }
        // Its end, should the test not come to it.
        alarm(300)
        while true { pause() }
    }

    /// What a forked child gets from everything that it inherits.
    private func forked() throws -> String {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Complaint("no pipe") }
        let listener = try opened().listen(), watch = try LiveWatch(opened())
        let child = forkProcess()
        if child == 0 {
            let attempts: [(String, () throws -> Void)] = [
                ("snapshot", { _ = try self.opened().snapshot() }),
                ("write", { _ = try self.opened().beginWrite(timeoutMilliseconds: 0) }),
                ("wait", { _ = try self.opened().waitForChange(after: .zero, timeoutMilliseconds: 0) }),
                ("listen", { _ = try self.opened().listen() }),
                ("held snapshot", { try Ledger.examine(self.snapshot!) }),
                ("refresh", { try self.snapshot!.refresh() }),
                ("information", { _ = try self.opened().information() }),
                ("check", { _ = try self.opened().check() }),
                ("rereads", { listener.rereads = false }),
                ("listener", { _ = try listener.wait(timeoutMilliseconds: 60_000) }),
                ("watch", { _ = try watch.deliver { _ in } }),
                ("close", { self.snapshot = nil; self.database?.close() }),
            ]
            let answers = attempts.map { name, attempt in
                do {
                    try attempt()
                    return "\(name)=done"
                } catch let error as FreeholdError { return "\(name)=\(error.code.name)" } catch { return "\(name)=other" }
            }
            let bytes = Array(answers.joined(separator: ",").utf8)
            _ = Glibc.write(ends[1], bytes, bytes.count)
            _exit(0)
        }
        Glibc.close(ends[1])
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = max(read(ends[0], &buffer, buffer.count), 0)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        // The alarm that the child inherited is the parent's.
        var entry = pollfd(fd: listener.fileDescriptor, events: Int16(POLLIN), revents: 0)
        let isAlarmed = poll(&entry, 1, 60_000) == 1
        return "child \(status) \(String(decoding: buffer[..<count], as: UTF8.self)), \(isAlarmed ? "alarmed" : "not alarmed")"
    }

    /// What children get that are forked while other threads ask the database for things: how many of them closed it and opened it anew.
    private func forkedWhileBusy() throws -> String {
        let database = try opened(), path = database.path, options = options, isOver = Atomic<Bool>(false), running = Atomic<Int>(0)
        for _ in 0..<2 {
            let work = Unmanaged.passRetained(Busyness {
                running.wrappingAdd(1, ordering: .relaxed)
                while !isOver.load(ordering: .relaxed) { _ = try? database.key() }
                running.wrappingSubtract(1, ordering: .relaxed)
            })
            var thread = pthread_t()
            pthread_create(&thread, nil, { context in
                Unmanaged<Busyness>.fromOpaque(context!).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
            pthread_detach(thread)
        }
        while running.load(ordering: .relaxed) < 2 { sched_yield() }
        var whole = 0
        for _ in 0..<100 {
            let child = forkProcess()
            if child == 0 {
                alarm(60)
                do throws(FreeholdError) {
                    _ = try database.key()
                    _exit(2)
                } catch { if error.code != .forked { _exit(3) } }
                database.close()
                do { _exit(try Database.open(path, options).check().problems.isEmpty ? 0 : 4) } catch { _exit(5) }
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            guard status == 0 else { break }
            whole += 1
        }
        isOver.store(true, ordering: .relaxed)
        while running.load(ordering: .relaxed) > 0 { sched_yield() }
        return "children \(whole)"
    }
}

/// What a thread of this process does.
private final class Busyness: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

@_silgen_name("fork")
private func forkProcess() -> pid_t
