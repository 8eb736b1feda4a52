import Glibc
import Platform

@testable import FreeholdEngine

/// The other processes of the sharing tests: each line of standard input is a command, answered by one line.
public enum HelperProgram {
    public static func run() {
        let state = HelperState()
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard let verb = words.first else { continue }
            do {
                say(try state.perform(verb, Array(words.dropFirst())))
            } catch let error as FreeholdError {
                say("error \(error.code.name) \(error.message)")
            } catch { say("error unknown \(error)") }
        }
    }

    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(1, bytes, bytes.count)
    }
}

/// Swift hides it, since a child of a process with threads may do little; this helper has one.
@_silgen_name("fork")
private func forkProcess() -> pid_t

/// What a helper has open.
private final class HelperState {
    var session: Session!
    var cell: ReaderCell!
    var pinned: Root?
    var lease: WriteLease!
    var listener: SessionListener?

    func perform(_ verb: String, _ arguments: [String]) throws -> String {
        switch verb {
        case "open", "open-read-only", "open-in-memory": return try open(arguments[0], verb)
        case "delete":
            try DatabaseFiles.delete(arguments[0], inMemory: false, LinuxSystem.shared)
            return "deleted"
        case "fork": return try fork()
        case "commit": return try commit(arguments)
        case "cycle": return try cycle(Int(arguments[0]) ?? 1, mark: UInt64(arguments[1]) ?? 0)
        case "count": return try count(Int(arguments[0]) ?? 1, durability(arguments[1]))
        case "begin":
            lease = try session.beginWrite(timeoutMilliseconds: Int(arguments.first ?? "") ?? 10_000)
            return "began \(lease.nextVersion)"
        case "abandon":
            session.abandonWrite(lease)
            return "abandoned"
        case "pin":
            pinned = try cell.pin()
            return "pinned \(pinned!.version)"
        case "unpin":
            try cell.unpin()
            return "unpinned"
        case "check": return ToyStore.read(pinned!, session) == nil ? "damaged" : "whole"
        case "read": return try read(Int(arguments[0]) ?? 1)
        case "wait":
            let seen = try session.waitForChange(
                after: UInt64(arguments[0]) ?? 0, timeoutMilliseconds: Int(arguments[1]) ?? 0)
            return seen.map { "changed \($0)" } ?? "unchanged"
        case "listen":
            listener = try SessionListener(session)
            return "listening"
        case "hear": return try listener!.wait(timeoutMilliseconds: 10_000).map { "heard \($0)" } ?? "silence"
        case "reap":
            session.reaper.reap()
            return "reaped"
        case "held": return "held " + session.held.versions().map(String.init).joined(separator: " ")
        case "close-descriptors":
            closefrom(3)
            return "closed"
        case "close":
            try session.close()
            return "closed"
        default: return "error unknown verb"
        }
    }

    private func open(_ path: String, _ verb: String) throws -> String {
        var options = ToyStore.testOptions()
        options.readOnly = verb == "open-read-only"
        options.inMemory = verb == "open-in-memory"
        options.flushTimeoutMilliseconds = 2_000
        session = try ToyStore.open(path, options)
        cell = try session.readers.claim()
        return "open"
    }

    /// What a forked child is told when it goes on as if nothing had happened, then what the parent still can.
    private func fork() throws -> String {
        let child = forkProcess()
        if child == 0 {
            var answers: [String] = []
            for attempt in [{ _ = try self.cell.pin() }, { _ = try self.session.beginWrite(timeoutMilliseconds: 0) },
                            { _ = try self.session.readers.claim() }, { try self.session.close() }] {
                do {
                    try attempt()
                    answers.append("fine")
                } catch { answers.append((error as? FreeholdError)?.code.name ?? "unknown") }
            }
            HelperProgram.say("child " + answers.joined(separator: " "))
            _exit(0)
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        let version = try ToyStore.commit(session, .full).version
        return "parent \(version)"
    }

    private func durability(_ word: String) -> Durability { word == "full" ? .full : .processCrash }

    private func commit(_ arguments: [String]) throws -> String {
        let content = try ToyStore.commit(
            session, durability(arguments[0]), mark: arguments.count > 1 ? UInt64(arguments[1]) ?? 0 : 0)
        return "committed \(content.version) \(content.counter)"
    }

    /// Everything a process does, again and again; says each commit as it is acknowledged.
    private func cycle(_ times: Int, mark: UInt64) throws -> String {
        for index in 0..<times {
            let root = try cell.pin()
            guard ToyStore.read(root, session) != nil else { return "damaged \(root.version)" }
            try cell.unpin()
            let content = try ToyStore.commit(session, index % 2 == 0 ? .processCrash : .full, mark: mark)
            HelperProgram.say("committed \(content.version) \(content.counter)")
            _ = try session.waitForChange(after: content.version, timeoutMilliseconds: 1)
            session.reaper.reap()
        }
        return "cycled"
    }

    private func count(_ times: Int, _ durability: Durability) throws -> String {
        var last: UInt64 = 0
        for _ in 0..<times { last = try ToyStore.commit(session, durability).counter }
        return "counted \(last)"
    }

    /// Pins, reads and unpins; every version seen must be whole and none older than the one before.
    private func read(_ times: Int) throws -> String {
        var last: UInt64 = 0
        for _ in 0..<times {
            let root = try cell.pin()
            guard ToyStore.read(root, session)?.version == root.version else { return "damaged \(root.version)" }
            guard root.version >= last else { return "backwards \(last) \(root.version)" }
            last = root.version
            try cell.unpin()
        }
        return "read \(last)"
    }
}
