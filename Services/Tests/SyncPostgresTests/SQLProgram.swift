import FreeholdEngine
@testable import FreeholdMerge
import SyncPostgres

/// A program that writes by SQL, and remembers what was committed last of what it alone writes.
final class SQLProgram {
    private let number: Int
    private let connection: PostgresConnection
    private let objects: Int
    private var random: Steps
    private var count = 0
    /// What it has added to counters of items.
    private(set) var sums: [Int: Int64] = [:]
    private var known = Contents()
    /// Objects, columns and entries that are its own, as its transactions leave them.
    private struct Contents {
        var values: [Int: Int] = [:]
        var rates: [String: Int] = [:]
        var words: Set<String> = []
        var marks: [Int: Int] = [:]
        var markWords: Set<Int> = []
        var sums: [Int: Int64] = [:]
    }

    init(_ number: Int, seed: UInt64, _ connection: PostgresConnection, objects: Int) {
        (self.number, self.connection, self.objects) = (number, connection, objects)
        random = Steps(state: seed &* 77 &+ UInt64(number))
    }

    private func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    /// A transaction of one to three statements, perhaps given up. One that PostgreSQL ends is as if it had not been.
    func step() throws {
        var next = known
        let isGivenUp = below(8) == 0
        do throws(FreeholdError) {
            try connection.run(script: "BEGIN")
            for _ in 0...below(3) {
                try change(&next)
                if below(3) == 0 { try connection.run(script: "SELECT pg_sleep(\(Double(below(4)) / 1000))") }
            }
            try connection.run(script: isGivenUp ? "ROLLBACK" : "COMMIT")
            if isGivenUp { return }
        } catch {
            try connection.run(script: "ROLLBACK")
            guard error.code == .busy else { throw error }
            return
        }
        known = next
        sums = next.sums
    }

    /// How many rows a statement has changed.
    private func run(_ statement: String) throws(FreeholdError) -> Int {
        Int(try connection.run("WITH made AS (\(statement) RETURNING 1) SELECT count(*) FROM made").int(0, 0))
    }

    private func change(_ next: inout Contents) throws(FreeholdError) {
        count += 1
        let key = below(objects), name = "p\(number)-\(below(4))"
        switch below(10) {
        case 0, 1:
            let made = try run("UPDATE app.\"Item\" SET own\(number) = \(count), title = 'sql' WHERE id = 'k\(key)'")
            if made == 1 { next.values[key] = count }
        case 2:
            let amount = Int64(below(20)) - 5
            let made = try run("UPDATE app.\"Item\" SET count = count + \(amount) WHERE id = 'k\(key)'")
            if made == 1 { next.sums[key, default: 0] += amount }
        case 3, 4: try changeRate(&next, key, name)
        case 5: try changeWord(&next, key, name)
        case 6:
            // Codes are unique: one that another has becomes null.
            _ = try run("UPDATE app.\"Item\" SET code = \(below(6)), note = NULL WHERE id = 'k\(key)'")
            _ = try run("DELETE FROM app.\"Item.tags\" WHERE owner = 'k\(key)' AND element = \(below(4))")
        default: try changeMark(&next, number * 100 + below(5))
        }
    }

    private func changeRate(_ next: inout Contents, _ key: Int, _ name: String) throws(FreeholdError) {
        let rate = "k\(key) \(name)", place = "owner = 'k\(key)' AND key = '\(name)'"
        if next.rates[rate] == nil {
            let made = try run("INSERT INTO app.\"Item.rates\" SELECT id, '\(name)', '\(count)' FROM app.\"Item\" WHERE id = 'k\(key)'")
            if made == 1 { next.rates[rate] = count }
        } else if below(3) == 0 {
            if try run("DELETE FROM app.\"Item.rates\" WHERE \(place)") == 1 { next.rates[rate] = nil }
        } else if try run("UPDATE app.\"Item.rates\" SET value = '\(count)' WHERE \(place)") == 1 {
            next.rates[rate] = count
        }
    }

    private func changeWord(_ next: inout Contents, _ key: Int, _ name: String) throws(FreeholdError) {
        let word = "k\(key) \(name)"
        if next.words.contains(word) {
            if try run("DELETE FROM app.\"Item.words\" WHERE owner = 'k\(key)' AND element = '\(name)'") > 0 { next.words.remove(word) }
        } else if try run("INSERT INTO app.\"Item.words\" SELECT id, '\(name)' FROM app.\"Item\" WHERE id = 'k\(key)'") == 1 {
            next.words.insert(word)
        }
    }

    private func changeMark(_ next: inout Contents, _ mark: Int) throws(FreeholdError) {
        if next.marks[mark] == nil {
            _ = try run("INSERT INTO app.\"Mark\" VALUES (\(mark), '\(count)')")
            next.marks[mark] = count
        } else if below(3) == 0 {
            _ = try run("DELETE FROM app.\"Mark\" WHERE number = \(mark)")
            (next.marks[mark], _) = (nil, next.markWords.remove(mark))
        } else if below(2) == 0, !next.markWords.contains(mark) {
            _ = try run("INSERT INTO app.\"Mark.words\" VALUES (\(mark), 'own')")
            next.markWords.insert(mark)
        } else {
            _ = try run("UPDATE app.\"Mark\" SET value = '\(count)' WHERE number = \(mark)")
            next.marks[mark] = count
        }
    }

    // MARK: Judging

    /// What a device has otherwise than the last committed write.
    func problems(_ rows: [SyncObject: SyncRow]) throws -> [String] {
        var found = Contents()
        for row in rows.values {
            if row.object.type == 1 {
                guard case .int(let mark) = row.object.key, Int(mark) / 100 == number else { continue }
                for one in row.registers { if case .string(let text) = one.value { found.marks[Int(mark)] = Int(text) } }
                if !row.members.isEmpty { found.markWords.insert(Int(mark)) }
                continue
            }
            guard case .string(let text) = row.object.key, let key = Int(text.dropFirst()) else { continue }
            for one in row.registers {
                if one.path.property == 5 + number, case .decimal(let high, let low) = one.value {
                    found.values[key] = Int(Decimal128(high: high, low: low).description)
                }
                if one.path.property == 8, case .string(let name) = one.path.key, case .int(let rate) = one.value,
                   name.hasPrefix("p\(number)-") {
                    found.rates["k\(key) \(name)"] = Int(rate)
                }
            }
            for one in row.members where one.property == 9 {
                if case .string(let name) = one.element, name.hasPrefix("p\(number)-") { found.words.insert("k\(key) \(name)") }
            }
        }
        var problems: [String] = []
        func compare<Value: Equatable>(_ what: String, _ found: Value, _ known: Value) {
            if found != known { problems.append("\(what) of program \(number): \(found) instead of \(known)") }
        }
        compare("columns", found.values, known.values)
        compare("entries", found.rates, known.rates)
        compare("members", found.words, known.words)
        compare("objects", found.marks, known.marks)
        compare("members of objects", found.markWords, known.markWords)
        return problems
    }
}
