import FreeholdEngine

/// The new keys of objects that were deleted and created anew.
struct KeyRenaming {
    private var book: ClassBook
    private var new: [ObjectReference: ObjectKey] = [:]

    init(_ book: ClassBook) { self.book = book }

    var isEmpty: Bool { new.isEmpty }

    /// These keys, with the classes of another version that has the same ones: those of a transaction cannot be read
    /// after its end.
    func read(from book: ClassBook) -> KeyRenaming {
        var keys = self
        keys.book = book
        return keys
    }

    mutating func add(_ old: ObjectKey, _ new: ObjectKey, in entry: ClassEntry) {
        if old != new { self.new[entry.table.reference(to: old)] = new }
    }

    /// The present key of an object.
    func key(_ key: ObjectKey, of className: String) -> ObjectKey {
        guard let entry = try? book.entry(className) else { return key }
        return new[entry.table.reference(to: key)] ?? key
    }

    /// A value with the present keys in its links.
    func value(_ value: Value, of property: String, in className: String) -> Value {
        if new.isEmpty { return value }
        guard let entry = try? book.entry(className), let place = try? entry.place(of: property) else { return value }
        let declared = entry.schema.properties[place]
        guard declared.type == .link || declared.type == .mixed else { return value }
        return mapped(value, declared.linkTarget)
    }

    private func mapped(_ value: Value, _ target: String?) -> Value {
        switch value {
        case .link(let key): .link(target.map { self.key(key, of: $0) } ?? key)
        case .object(let object): .object(ObjectReference(classNumber: object.classNumber, key: new[object] ?? object.key))
        case .list(let values): .list(values.map { mapped($0, target) })
        case .set(let values): .set(values.map { mapped($0, target) })
        case .map(let entries): .map(entries.mapValues { mapped($0, target) })
        default: value
        }
    }
}
