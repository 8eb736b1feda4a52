import FreeholdEngine

/// Turns records into objects within a write transaction: nested objects first, then links, then the object itself.
final class RecordLoader {
    private let className: String
    private let isAllText: Bool
    private let nestedClassName: (String) -> String
    private var transaction: WriteTransaction?
    private var classes: [String: LoadedClass] = [:]
    private var forwardLinks: [ForwardLink] = []
    /// Objects made for the record at hand, deepest first.
    private var nested: [(key: ObjectKey, table: Table)] = []
    /// Objects made from what stood within records.
    private(set) var nestedCount = 0

    /// A link to an object of the same class that may come later in the text.
    private struct ForwardLink {
        let source: ObjectKey
        let property: Int
        let target: Value
        let line: Int
    }

    init(className: String, isAllText: Bool, nestedClassName: @escaping (String) -> String) {
        self.className = className
        self.isAllText = isAllText
        self.nestedClassName = nestedClassName
    }

    /// Goes on in another transaction.
    func enter(_ transaction: WriteTransaction) throws(FreeholdError) {
        self.transaction = transaction
        classes.removeAll(keepingCapacity: true)
        _ = try loadedClass(className)
    }

    /// Makes one record an object.
    /// - Throws: why not; then nothing of the record is left.
    func load(_ record: ImportedRecord) throws(LoadFault) {
        nested.removeAll(keepingCapacity: true)
        let linksBefore = forwardLinks.count
        do throws(LoadFault) {
            _ = try insert(record.object, into: className, line: record.line)
            nestedCount += nested.count
        } catch {
            forwardLinks.removeSubrange(linksBefore...)
            try withdrawNested()
            throw error
        }
    }

    /// Sets the links whose targets came after their sources.
    /// - Returns: an error for each whose target never came.
    func resolveForwardLinks() throws -> [ImportError] {
        guard let transaction, let loaded = classes[className] else { return [] }
        var faults: [ImportError] = []
        for link in forwardLinks {
            if let target = try loaded.table.key(primaryKey: link.target) {
                try transaction.set(link.source, in: loaded.table, loaded.columns[link.property], to: .link(target))
            } else {
                faults.append(ImportError(.record, loaded.noTarget(link.property, link.target), line: link.line))
            }
        }
        forwardLinks.removeAll()
        return faults
    }

    private func insert(_ object: ImportedObject, into name: String, line: Int) throws(LoadFault) -> ObjectKey {
        guard let transaction else { throw .other(FreeholdError(.notInWrite, "the import has no transaction")) }
        do {
            let loaded = try loadedClass(name)
            let binding = try loaded.binding(for: object.shape)
            var values = loaded.emptyValues
            var waiting: [(Int, Value)] = []
            for (index, property) in binding.enumerated() {
                values[property] = try value(object.values[index], property, loaded, &waiting)
            }
            if isAllText { loaded.fillRequiredTexts(&values) }
            let key = try transaction.insert(into: loaded.table, values: values)
            for (property, target) in waiting {
                forwardLinks.append(ForwardLink(source: key, property: property, target: target, line: line))
            }
            return key
        } catch {
            throw LoadFault(error)
        }
    }

    /// One property's value; links to objects that may come later are put aside.
    private func value(
        _ imported: ImportedValue, _ property: Int, _ loaded: LoadedClass, _ waiting: inout [(Int, Value)]
    ) throws -> Value {
        let schema = loaded.schema.properties[property]
        guard let target = schema.linkTarget else {
            do {
                return try imported.converted(to: schema.type)
            } catch {
                throw LoadFault.record("property '\(schema.name)': \(error.message)")
            }
        }
        switch imported {
        case .null: return .null
        case .object(let object): return .link(try nestedObject(object, target))
        default:
            let targetClass = try loadedClass(target)
            let wanted = try targetClass.keyValue(imported, for: schema.name)
            if let key = try targetClass.find(wanted) { return .link(key) }
            guard target == className, loaded.schema.name == className else {
                throw LoadFault.record(loaded.noTarget(property, wanted))
            }
            waiting.append((property, wanted))
            return .null
        }
    }

    /// The object of another class for what stood within a record: one with the same primary key, or a new one.
    private func nestedObject(_ object: ImportedObject, _ name: String) throws -> ObjectKey {
        let loaded = try loadedClass(name)
        if let primaryKey = loaded.schema.primaryKey, let value = object[primaryKey], value != .null {
            let wanted = try loaded.keyValue(value, for: primaryKey)
            if let key = try loaded.find(wanted) { return key }
        }
        let key = try insert(object, into: name, line: 0)
        nested.append((key, loaded.table))
        return key
    }

    private func withdrawNested() throws(LoadFault) {
        do throws(FreeholdError) {
            for (key, table) in nested.reversed() { try transaction?.delete(key, from: table) }
        } catch {
            throw .other(error)
        }
    }

    private func loadedClass(_ name: String) throws(FreeholdError) -> LoadedClass {
        if let known = classes[name] { return known }
        guard let transaction else { throw FreeholdError(.notInWrite, "the import has no transaction") }
        let loaded = LoadedClass(try transaction.table(name))
        classes[name] = loaded
        return loaded
    }
}
