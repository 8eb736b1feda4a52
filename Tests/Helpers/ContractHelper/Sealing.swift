import FreeholdEngine
import Glibc
import Platform

/// Writes to an encrypted database in every way that ends with blocks sealed: commits, aborted ones, savepoints gone back to, a
/// fork in the middle of a transaction.
struct Sealing {
    private let path: String
    private let database: Database
    private var number: Int64 = 0

    init(path: String, key: UInt8) throws {
        self.path = path
        database = try Database.open(path, try Self.options(key))
        try database.write { try $0.createClass(ClassSchema("Note", [PropertySchema("number", .int), PropertySchema("text", .string)])) }
    }

    static func options(_ key: UInt8) throws -> OpenOptions {
        var options = OpenOptions()
        options.encryptionKey = try EncryptionKey((0..<64).map { $0 &+ key })
        return options
    }

    mutating func run() throws {
        Console.say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ")
            switch words.first {
            case "commit": try commits(in: database, Int(words[1]) ?? 1)
            case "abort": try abort()
            case "fork":
                Console.say(try forked(UInt8(words[1]) ?? 0))
                continue
            case "search":
                Console.say(searched(MemorySearch(Array(words.dropFirst()))))
                continue
            case "search-while-sealing":
                Console.say(try searchedWhileSealing(MemorySearch(Array(words.dropFirst()))))
                continue
            case "rekey": try database.changeKey(to: Self.options(UInt8(words[1]) ?? 0).encryptionKey!)
            case "forever": while true { try commits(in: database, 1); Console.say("committed") }
            default: break
            }
            Console.say("done")
        }
    }

    private mutating func commits(in database: Database, _ count: Int) throws {
        for round in 0..<count {
            try database.write(durability: round % 7 == 0 ? .full : .processCrash) { try change($0) }
        }
    }

    private mutating func change(_ transaction: WriteTransaction) throws {
        for _ in 0..<20 {
            number += 1
            try transaction.insert(into: "Note", [("number", .int(number)), ("text", .string("process \(getpid()) note \(number)"))])
        }
    }

    /// A transaction gone back in and taken up again, then given up.
    private mutating func abort() throws {
        let transaction = try database.beginWrite()
        try change(transaction)
        let savepoint = try transaction.savepoint()
        try change(transaction)
        try transaction.rollback(to: savepoint)
        try change(transaction)
        transaction.rollback()
    }

    /// What a search finds here, and what in a forked child.
    private func searched(_ search: MemorySearch) -> String {
        let child = forkedChild { search.run() }
        return "parent \(search.run()) child \(child)"
    }

    /// The same while another thread seals a long text under the one key, again and again.
    private func searchedWhileSealing(_ search: MemorySearch) throws -> String {
        let busy = BusySealer(try LinuxSystem.shared.loadCryptography().makeSealer(key: UnsafeRawBufferPointer(search.keys[0])))
        busy.start()
        defer { busy.stop() }
        let here = search.run()
        let children = (0..<5).map { _ in forkedChild { search.run() } }
        return "parent \(here) children \(children.joined(separator: " "))"
    }

    /// What `body` gives in a forked child.
    private func forkedChild(_ body: () -> String) -> String {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return "no pipe" }
        let child = fork()
        if child == 0 {
            let bytes = Array(body().utf8)
            _ = Glibc.write(ends[1], bytes, bytes.count)
            _exit(0)
        }
        Glibc.close(ends[1])
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = max(read(ends[0], &buffer, buffer.count), 0)
        Glibc.close(ends[0])
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Forks with a transaction open: the child may not commit it, opens the database anew, and both write on.
    private mutating func forked(_ key: UInt8) throws -> String {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return "no pipe" }
        let transaction = try database.beginWrite()
        try change(transaction)
        let savepoint = try transaction.savepoint()
        try change(transaction)
        try transaction.rollback(to: savepoint)
        try change(transaction)
        let child = fork()
        if child == 0 {
            var answer = "committed"
            do { try transaction.commit() } catch { answer = error.code.name }
            do { try commits(in: Database.open(path, Self.options(key)), 30) } catch { answer += " \(error)" }
            let bytes = Array(answer.utf8)
            _ = Glibc.write(ends[1], bytes, bytes.count)
            _exit(0)
        }
        Glibc.close(ends[1])
        try transaction.commit(.processCrash)
        try commits(in: database, 30)
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = max(read(ends[0], &buffer, buffer.count), 0)
        Glibc.close(ends[0])
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return "child \(status) \(String(decoding: buffer[..<count], as: UTF8.self))"
    }
}

@_silgen_name("fork")
private func fork() -> pid_t
