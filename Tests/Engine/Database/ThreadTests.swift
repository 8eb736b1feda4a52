@testable import FreeholdEngine
import Foundation
import TestKit
import Testing

/// Writes from several threads of a process, on the real system: its mutexes know their threads.
@Suite struct ThreadTests {
    /// Runs `body` on a new thread and waits for its end.
    private func elsewhere(_ body: @escaping @Sendable () throws -> Void) throws {
        let outcome = Outcome(), done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try body() } catch { outcome.error = error }
            done.signal()
        }
        done.wait()
        if let error = outcome.error { throw error }
    }

    // Safe: written before the signal, read after the wait.
    private final class Outcome: @unchecked Sendable {
        var error: (any Error)?
    }

    // Safe: one thread at a time has it.
    private struct Handed: @unchecked Sendable {
        let transaction: WriteTransaction
    }

    private func noted(_ folder: TemporaryFolder) throws -> Database {
        let database = try Database.open(folder.file("threads.freehold"))
        try database.write { try $0.createClass(ClassSchema("Note", [PropertySchema("number", .int)])) }
        return database
    }

    @Test("a second write on a thread that is in one is refused at once")
    func second() throws {
        let folder = try TemporaryFolder()
        let database = try noted(folder)
        let transaction = try database.beginWrite()
        #expect { try database.beginWrite() } throws: { ($0 as? FreeholdError)?.code == .alreadyInWrite }
        try elsewhere {
            #expect { try database.beginWrite(timeoutMilliseconds: 0) } throws: { ($0 as? FreeholdError)?.code == .busy }
        }
        transaction.rollback()
        try database.write { try $0.insert(into: "Note", [("number", .int(1))]) }
    }

    @Test("a write whose thread has ended is lost when another one begins, and can neither be committed nor take that one's lock", arguments: [false, true])
    func lost(isRolledBack: Bool) throws {
        let folder = try TemporaryFolder()
        let database = try noted(folder), box = Box()
        for round in 0..<3 as Range<Int64> {
            try elsewhere {
                let transaction = try database.beginWrite()
                try transaction.createClass(ClassSchema("Lost", [PropertySchema("number", .int)]))
                try transaction.insert(into: "Note", [("number", .int(-1))])
                box.handed = Handed(transaction: transaction)
            }
            let transaction = try database.beginWrite(timeoutMilliseconds: 10_000)
            try transaction.insert(into: "Note", [("number", .int(round))])
            if isRolledBack { box.handed?.transaction.rollback() }
            #expect { try box.handed?.transaction.commit() } throws: { ($0 as? FreeholdError)?.code == .notInWrite }
            box.handed = nil
            try elsewhere {
                #expect { try database.beginWrite(timeoutMilliseconds: 0) } throws: { ($0 as? FreeholdError)?.code == .busy }
            }
            try transaction.insert(into: "Note", [("number", .int(round))])
            try transaction.commit()
        }
        let snapshot = try database.snapshot(), notes = try snapshot.table("Note")
        #expect(try notes.keys().map { try notes.value($0, notes.column("number")) } == [0, 0, 1, 1, 2, 2].map { .int($0) })
        #expect(try snapshot.classes.map(\.name) == ["Note"])
        #expect(try database.check().isClean)
    }

    @Test("a thread that begins where another one has ended inside a write is not taken for it")
    func laterThreads() throws {
        let folder = try TemporaryFolder()
        let database = try noted(folder), box = Box()
        try elsewhere { box.handed = Handed(transaction: try database.beginWrite()) }
        // Mostly at the same addresses.
        for round in 0..<20 as Range<Int64> {
            try elsewhere { _ = try database.write { try $0.insert(into: "Note", [("number", .int(round))]) } }
        }
        #expect(try database.snapshot().table("Note").count == 20)
    }

    // Safe: as of `Outcome`.
    private final class Box: @unchecked Sendable {
        var handed: Handed?
    }

    @Test("a write begun on one thread may be committed, or rolled back, on another, and nobody waits for ever then")
    func handedOver() throws {
        let folder = try TemporaryFolder()
        let database = try noted(folder)
        for round in 0..<4 as Range<Int64> {
            let handed = Handed(transaction: try database.beginWrite(timeoutMilliseconds: 10_000))
            try handed.transaction.insert(into: "Note", [("number", .int(round))])
            try elsewhere {
                if round % 2 == 0 { try handed.transaction.commit() } else { handed.transaction.rollback() }
            }
            try database.write { try $0.insert(into: "Note", [("number", .int(100 + round))]) }
            try elsewhere { _ = try database.write { try $0.insert(into: "Note", [("number", .int(200 + round))]) } }
        }
        #expect(try database.snapshot().table("Note").count == 10)
        #expect(try database.check().isClean)
        database.close()
        let again = try Database.open(folder.file("threads.freehold"))
        try again.write { try $0.insert(into: "Note", [("number", .int(1))]) }
    }

    @Test("threads that write in turn lose nothing")
    func inTurn() throws {
        let folder = try TemporaryFolder()
        let database = try noted(folder)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<50 {
                do {
                    try database.write(durability: .processCrash) { transaction in
                        try transaction.insert(into: "Note", [("number", .int(Int64(thread * 50 + round)))])
                    }
                } catch { Issue.record(error) }
            }
        }
        let notes = try database.snapshot().table("Note"), number = try notes.column("number")
        var seen: Set<Int64> = []
        try notes.forEach { row in
            seen.insert(try row.int(number))
            return true
        }
        #expect(seen == Set(0..<200))
    }
}
