@testable import FreeholdEngine

/// Numbers of a history as embedded objects: a history's list or map has the number, the file's one an item that holds it, at a depth
/// that follows from the number. So a number that changes is a property that changes somewhere within, or another item.
///
/// ```
/// 7: (n 7)      6: (items [(n 6)])      5: (items [(items [(n 5)])])
/// ```
enum ShadowItems {
    static let classes = [ClassSchema("Item", isEmbedded: true, [PropertySchema("n", .int)])]
    static let inner = PropertySchema("items", linkTo: "Item", collections: [.list])

    static func depth(_ number: Int) -> Int { max(0, 2 - number % 5) }

    // MARK: Messages

    static func message(_ number: Int) -> SyncValue {
        (0..<depth(number)).reduce(.map([.init(key: "n", value: .int(Int64(number)))])) { value, _ in
            .map([.init(key: "items", value: .list([value]))])
        }
    }

    /// The number that a value stands for; other values are as they are.
    static func plain(_ value: SyncValue) -> SyncValue {
        guard case .map(let entries) = value, entries.count == 1 else { return value }
        if case .list(let inner) = entries[0].value, inner.count == 1 { return plain(inner[0]) }
        return entries[0].value
    }

    /// An answer with items for the numbers in lists and maps.
    static func answer(_ answer: SyncAnswer) -> SyncAnswer {
        var made = answer
        for index in made.rows.indices {
            let names = made.names.classes[Int(made.rows[index].object.type)].properties
            for list in made.rows[index].lists.indices {
                for one in made.rows[index].lists[list].elements.indices {
                    guard case .int(let number) = made.rows[index].lists[list].elements[one].value else { continue }
                    made.rows[index].lists[list].elements[one].value = message(Int(number))
                }
            }
            for one in made.rows[index].registers.indices {
                let register = made.rows[index].registers[one]
                guard names[Int(register.path.property)] == "map", case .int(let number) = register.value else { continue }
                made.rows[index].registers[one].value = message(Int(number))
            }
        }
        return made
    }

    // MARK: Objects

    private static func innermost(_ item: ObjectKey, _ table: Table) throws -> ObjectKey {
        guard let inner = try table.value(item, table.column("items")).embeddedKeys.first else { return item }
        return try innermost(ObjectKey(inner), table)
    }

    static func number(_ link: Value, _ snapshot: Snapshot) throws -> Int64 {
        let table = try snapshot.table("Item")
        guard case .link(let key) = link else { return -1 }
        guard case .int(let number) = try table.value(innermost(key, table), table.column("n")) else { return -1 }
        return number
    }

    /// What a new item holds.
    private static func fill(_ item: ObjectKey, _ number: Int, _ transaction: WriteTransaction) throws {
        let table = try transaction.table("Item")
        var item = item
        for _ in 0..<depth(number) { item = try transaction.list(of: item, in: table, table.column("items")).embed([]) }
        try transaction.set(item, in: table, table.column("n"), to: .int(Int64(number)))
    }

    /// Makes an item hold another number; false if that is at another depth.
    private static func change(_ link: Value?, from old: Int, to new: Int, _ transaction: WriteTransaction) throws -> Bool {
        guard case .link(let key)? = link, depth(old) == depth(new) else { return false }
        let table = try transaction.table("Item")
        try transaction.set(innermost(key, table), in: table, table.column("n"), to: .int(Int64(new)))
        return true
    }

    /// One change of a list, as programs make it: numbers are inserted in a row, or one is removed, moved, or changed.
    static func write(_ list: ListWriter, from old: [Int], to new: [Int], _ transaction: WriteTransaction) throws {
        if old == new { return }
        let first = zip(old, new).prefix { $0 == $1 }.count
        if new.count > old.count {
            for number in first..<first + new.count - old.count { try fill(list.embed([], at: number), new[number], transaction) }
        } else if new.count < old.count {
            try list.remove(first..<first + old.count - new.count)
        } else if Set(old) != Set(new) {
            if try !change(list.view()[first], from: old[first], to: new[first], transaction) {
                try fill(list.embed([], replacing: first), new[first], transaction)
            }
        } else if let last = old.indices.last(where: { old[$0] != new[$0] }) {
            if old[first] == new[last] { try list.move(from: first, to: last) } else { try list.move(from: last, to: first) }
        }
    }

    /// Gives a key of a map another number, 0 for none.
    static func write(_ map: MapWriter, _ key: String, from old: Int, to new: Int, _ transaction: WriteTransaction) throws {
        if new == 0 { return try map.remove(key) }
        if try old != 0 && change(map.view()[key], from: old, to: new, transaction) { return }
        try fill(map.embed([], for: key), new, transaction)
    }
}
