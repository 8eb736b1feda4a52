@testable import FreeholdEngine
import TestKit

extension History {
    /// One write transaction of many steps with savepoints nested at random, which it goes back to or releases; returns what
    /// differed from the model after one of them.
    public mutating func transactWithSavepoints(on database: Database, durability: Durability) throws -> [String] {
        let transaction = try database.beginWrite(timeoutMilliseconds: 1000)
        var draft = model, levels: [(Savepoint, NaiveDatabase)] = [], found: [String] = []
        // Sometimes the classes are made after a savepoint as well.
        if random.oneIn(2) { levels.append((try transaction.savepoint(), draft)) }
        try begin(transaction, &draft)
        for _ in 0..<Int.random(in: 4..<16, using: &random) where found.isEmpty {
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: levels.append((try transaction.savepoint(), draft))
            case 2 where !levels.isEmpty:
                let place = Int.random(in: 0..<levels.count, using: &random)
                try transaction.rollback(to: levels[place].0)
                draft = levels[place].1
                levels.removeSubrange((place + 1)...)
                found = try Comparison.differences(draft, transaction)
                if draft.order.isEmpty { try begin(transaction, &draft) }
            case 3 where !levels.isEmpty:
                let place = Int.random(in: 0..<levels.count, using: &random)
                try transaction.release(levels[place].0)
                levels.removeSubrange(place...)
            default: try step(transaction, &draft)
            }
        }
        if found.isEmpty, random.oneIn(2) { found = try Comparison.differences(draft, transaction) }
        if random.oneIn(8) { transaction.rollback() } else {
            try transaction.commit(durability)
            model = draft
        }
        return found
    }
}
