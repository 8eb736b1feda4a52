import FreeholdEngine

extension Bench {
    /// Updates of random objects in one transaction, with and without a savepoint around each: what that costs.
    func savepoints() throws {
        let updates = 100_000
        try withCopy("savepoints") { database in
            func run(_ seed: UInt64, _ change: (WriteTransaction, () throws -> Void) throws -> Void) throws -> Double {
                var stream = SplitMix64(seed: seed)
                let transaction = try database.beginWrite()
                let persons = try PersonTable(in: transaction)
                let taken = try seconds {
                    for _ in 0..<updates {
                        let draw = stream.next(), key = ObjectKey(Int64(draw % UInt64(count)))
                        try change(transaction) {
                            try transaction.set(key, in: persons.table, persons.age, to: .int(Int64((draw >> 32) % 100)))
                        }
                    }
                }
                transaction.rollback()
                return taken
            }
            let plain = try run(7) { try $1() }
            let within = try run(7) { transaction, update in
                let savepoint = try transaction.savepoint()
                try update()
                try transaction.release(savepoint)
            }
            let undone = try run(7) { transaction, update in
                let savepoint = try transaction.savepoint()
                try update()
                try transaction.rollback(to: savepoint)
                try transaction.release(savepoint)
            }
            Output.figure("savepoint", (within - plain) / Double(updates) * 1e6, "us")
            Output.figure("savepoint_undone", (undone - plain) / Double(updates) * 1e6, "us")
        }
    }
}
