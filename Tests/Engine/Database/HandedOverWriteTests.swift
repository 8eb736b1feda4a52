import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// Writes whose thread ends while the transaction lives on, on another thread: the raw lock goes to the next one, maybe to another
/// process, and the transaction must not touch the file any more unless it keeps the lock.
@Suite struct HandedOverWriteTests {
    // Safe: one simulated thread at a time runs.
    private final class Box: @unchecked Sendable {
        var transaction: WriteTransaction?
        var error: FreeholdError?
        var events: [String] = []
    }

    private static let path = "/handed.freehold"
    /// By the mutex, and by byte locks, which rule once a process of another namespace takes part.
    private static let namespaces: [UInt64] = [1, 2]

    private func setUp(_ machine: SimulatedSystem, _ namespace: UInt64) throws -> (SimulatedProcess, Database, SimulatedProcess, Database) {
        let first = machine.makeProcess(namespace: 1), second = machine.makeProcess(namespace: namespace)
        let ours = try Database.open(Self.path, OpenOptions.simulated, on: first)
        try ours.write { transaction in
            try transaction.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
        }
        return (first, ours, second, try Database.open(Self.path, OpenOptions.simulated, on: second))
    }

    private static func insert(_ transaction: WriteTransaction, _ ids: Range<Int64>, _ text: String) throws {
        let notes = try transaction.table("Note")
        for id in ids { try transaction.insert(into: notes, values: [.int(id), .string("\(text) \(id) " + String(repeating: text, count: 40))]) }
    }

    private func write(_ database: Database, _ durability: Durability = .full, _ body: (WriteTransaction) throws -> Void) throws {
        let transaction = try database.beginWrite(timeoutMilliseconds: 500)
        do { try body(transaction) } catch {
            transaction.rollback()
            throw error
        }
        try transaction.commit(durability)
    }

    /// Begins a write on a thread that ends.
    private func begin(_ machine: SimulatedSystem, _ process: SimulatedProcess, _ database: Database, _ box: Box) {
        process.start { _ in
            do {
                let transaction = try database.beginWrite()
                try Self.insert(transaction, 0..<300, "ours")
                box.transaction = transaction
            } catch { Issue.record(error) }
        }
        #expect(machine.run() == .finished)
    }

    private func texts(_ database: Database) throws -> Set<String> {
        let notes = try database.snapshot().table("Note"), text = try notes.column("text")
        return Set(try notes.keys().map { try notes.value($0, text) }.map { value in
            if case .string(let text) = value { String(text.prefix { $0 != " " }) } else { "" }
        })
    }

    @Test("a write whose thread ended writes nothing once another process has the lock", arguments: namespaces, [Durability.full, .processCrash])
    func lost(namespace: UInt64, durability: Durability) throws {
        let machine = SimulatedSystem(seed: 11)
        defer { machine.discard() }
        let (first, ours, _, theirs) = try setUp(machine, namespace)
        let box = Box()
        begin(machine, first, ours, box)
        // By byte locks the lock is the process's, and the write goes on to be one.
        let isLost = (try? write(theirs, durability) { try Self.insert($0, 0..<300, "theirs") }) != nil
        #expect(isLost == (namespace == 1))
        do throws(FreeholdError) { try box.transaction?.commit(durability) } catch { box.error = error }
        box.transaction = nil
        #expect(box.error?.code == (isLost ? .notInWrite : nil))
        for database in [ours, theirs] {
            #expect(try texts(database) == [isLost ? "theirs" : "ours"])
            #expect(try database.check().isClean)
        }
        for (database, id) in [(ours, 400 as Int64), (theirs, 500)] {
            try write(database, durability) { try Self.insert($0, id..<id + 3, "more") }
        }
        #expect(try texts(ours) == [isLost ? "theirs" : "ours", "more"])
        #expect(try ours.check().isClean)
    }

    @Test("a write that another thread commits keeps the lock through all of it, though the thread that began it has ended", arguments: 0..<30)
    func kept(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let (first, ours, second, theirs) = try setUp(machine, 1)
        let box = Box()
        begin(machine, first, ours, box)
        first.start { _ in
            do throws(FreeholdError) {
                try box.transaction?.commit(.processCrash)
            } catch { box.error = error }
            box.transaction = nil
        }
        second.start { _ in
            do {
                let transaction = try theirs.beginWrite(timeoutMilliseconds: 100_000)
                box.events.append(try transaction.table("Note").count == 0 ? "theirs first" : "theirs second")
                try Self.insert(transaction, 1000..<1300, "theirs")
                try transaction.commit(.processCrash)
            } catch { Issue.record(error) }
        }
        #expect(machine.run() == .finished)
        let isLost = box.error?.code == .notInWrite
        #expect(box.error == nil || isLost)
        #expect(box.events.contains(isLost ? "theirs first" : "theirs second"), "seed \(seed): \(box.events)")
        for database in [ours, theirs] {
            #expect(try texts(database) == (isLost ? ["theirs"] : ["ours", "theirs"]), "seed \(seed)")
            #expect(try database.check().isClean, "seed \(seed)")
        }
    }

    @Test("a process killed while another thread commits is followed by the next one", arguments: 0..<30)
    func killed(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let (first, ours, _, theirs) = try setUp(machine, 1)
        let box = Box()
        begin(machine, first, ours, box)
        var left = 2 + Int(seed)
        first.start { _ in _ = try? box.transaction?.commit(.processCrash) }
        machine.onStep = { step in
            guard step.process === first else { return .proceed }
            left -= 1
            return left == 0 ? .kill : .proceed
        }
        _ = machine.run()
        machine.onStep = nil
        if let transaction = box.transaction { first.leak(transaction) }
        first.leak(ours)
        first.kill()
        try write(theirs) { try Self.insert($0, 1000..<1010, "theirs") }
        #expect(try texts(theirs).contains("theirs"))
        #expect(try theirs.check().isClean, "seed \(seed)")
    }

    @Test("rolled back on another thread after it was lost, a write leaves the lock to whoever has it", arguments: namespaces)
    func rolledBack(namespace: UInt64) throws {
        let machine = SimulatedSystem(seed: 12)
        defer { machine.discard() }
        let (first, ours, _, theirs) = try setUp(machine, namespace)
        let box = Box()
        begin(machine, first, ours, box)
        if namespace == 1 {
            let transaction = try theirs.beginWrite(timeoutMilliseconds: 500)
            try Self.insert(transaction, 0..<300, "theirs")
            box.transaction?.rollback()
            #expect { try ours.beginWrite(timeoutMilliseconds: 0) } throws: { ($0 as? FreeholdError)?.code == .busy }
            try transaction.commit()
        } else {
            box.transaction?.rollback()
            try write(theirs) { try Self.insert($0, 0..<300, "theirs") }
        }
        #expect(try texts(ours) == ["theirs"])
        try write(ours) { try Self.insert($0, 400..<403, "more") }
        #expect(try ours.check().isClean)
    }
}
