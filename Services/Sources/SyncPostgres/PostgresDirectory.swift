import FreeholdEngine
import FreeholdMerge
import SyncBackends

/// The users of a cluster for its rules. What a transaction has asked once, it does not ask again.
final class PostgresDirectory: SyncDirectory {
    private unowned let store: PostgresStore

    init(_ store: PostgresStore) { self.store = store }

    private static let columns = "SELECT number, name, claims::text FROM freehold.account"

    func user(named name: String) throws(FreeholdError) -> SyncUser? {
        let key = ExactText(name)
        if let known = store.cache.people.numbers[key] { return known }
        if store.cache.people.isWhole { return nil }
        // A text with a NUL is nobody's name, and no text of PostgreSQL.
        let found = name.utf8.contains(0) ? [] : try read("\(Self.columns) WHERE name = $1", [.text(name)])
        if found.isEmpty { store.cache.people.numbers[key] = .some(nil) }
        return found.first
    }

    func person(_ user: SyncUser) throws(FreeholdError) -> SyncPerson? {
        if let person = store.cache.people.people[user] { return person }
        if !store.cache.people.isWhole { _ = try read("\(Self.columns) WHERE number = $1", [.int(user.rawValue)]) }
        return store.cache.people.people[user]
    }

    func users() throws(FreeholdError) -> [SyncUser] {
        if !store.cache.people.isWhole {
            _ = try read(Self.columns, [])
            store.cache.people.isWhole = true
        }
        return store.cache.people.people.keys.sorted { $0.rawValue < $1.rawValue }
    }

    private func read(_ statement: String, _ parameters: [PostgresValue]) throws(FreeholdError) -> [SyncUser] {
        let found = try store.connection.run(statement, parameters)
        var users: [SyncUser] = []
        for place in 0..<found.count {
            let user = SyncUser(rawValue: found.int(place, 0)), name = found.text(place, 1)
            let claims = found.isNull(place, 2) ? [:] : ClaimText.claims(found.text(place, 2))
            store.cache.people.people[user] = SyncPerson(name, claims: claims)
            store.cache.people.numbers[ExactText(name)] = user
            users.append(user)
        }
        return users
    }
}

/// Users that a transaction has asked for.
struct PeopleCache {
    var people: [SyncUser: SyncPerson] = [:]
    var numbers: [ExactText: SyncUser?] = [:]
    /// Whether it has all.
    var isWhole = false
}
