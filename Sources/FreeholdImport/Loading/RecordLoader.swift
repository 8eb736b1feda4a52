import FreeholdEngine

/// Converts records to objects within a write transaction: nested objects first, then links, then the object itself.
final class RecordLoader {
    private let className: String
    private let isAllText: Bool
    private let nestedClassName: (String) -> String
    private let stated: StatedTypes
    private(set) var transaction: WriteTransaction?
    private var classes: TextMap<LoadedClass> = [:]
    private var lastLoaded: (name: String, loaded: LoadedClass)?
    /// For each class seen, the class and its superclasses.
    var lineages: TextMap<Set<ExactText>> = [:]
    private var forwardLinks: [ForwardLink] = []
    /// Objects created for the current record, deepest first.
    private var nested: [(key: ObjectKey, table: Table)] = []
    /// Number of objects created from nested objects.
    private(set) var nestedCount = 0

    /// A link to an object of the same class that may come later in the text.
    private struct ForwardLink {
        let source: ObjectKey
        /// The source's own class.
        let className: String
        let property: Int
        let target: Awaited
        let line: Int
    }

    /// The value that a property waits for: one target, or all targets of a collection.
    private enum Awaited {
        case object(Value)
        case collection(ImportedValue)
    }

    init(className: String, isAllText: Bool, stated: StatedTypes, nestedClassName: @escaping (String) -> String) {
        self.className = className
        self.stated = stated
        self.isAllText = isAllText
        self.nestedClassName = nestedClassName
    }

    /// Continues in another transaction.
    func enter(_ transaction: WriteTransaction) throws(FreeholdError) {
        self.transaction = transaction
        classes.removeAll(keepingCapacity: true)
        lastLoaded = nil
        lineages.removeAll(keepingCapacity: true)
        _ = try loadedClass(className)
    }

    /// Creates an object from a record.
    /// - Throws: why the record is refused; then nothing of it is written.
    func load(_ record: ImportedRecord) throws(LoadFault) {
        nested.removeAll(keepingCapacity: true)
        let linksBefore = forwardLinks.count
        do throws(LoadFault) {
            _ = try insert(record.object, into: try concreteName(record.object, of: className), line: record.line)
            nestedCount += nested.count
        } catch {
            forwardLinks.removeSubrange(linksBefore...)
            try withdrawNested()
            throw error
        }
    }

    /// Sets the links whose targets came after their sources.
    /// - Returns: an error for each link whose target never came.
    func resolveForwardLinks() throws -> [ImportError] {
        guard let transaction else { return [] }
        var faults: [ImportError] = []
        for link in forwardLinks {
            do {
                let loaded = try loadedClass(link.className), value = try awaited(link.target, link.property, loaded)
                try transaction.set(link.source, in: loaded.table, loaded.columns[link.property], to: value)
            } catch LoadFault.record(let message) {
                faults.append(ImportError(.record, message, line: link.line))
            }
        }
        forwardLinks.removeAll()
        return faults
    }

    private func insert(_ object: ImportedObject, into name: String, line: Int) throws(LoadFault) -> ObjectKey {
        guard let transaction else { throw .other(FreeholdError(.notInWrite, "the import has no transaction")) }
        do {
            let loaded = try loadedClass(name)
            let binding = try loaded.binding(for: object)
            var values = loaded.emptyValues
            var waiting: [(Int, Awaited)] = []
            var embedded: [(value: Int, property: Int)] = []
            for (index, property) in binding.enumerated() {
                guard let property else { continue }
                if let type = loaded.plainTypes[property] {
                    values[property] = try plainValue(object.values[index], type, property, loaded)
                } else if try leadsToEmbedded(property, loaded) {
                    embedded.append((index, property))
                } else {
                    values[property] = try value(object.values[index], property, loaded, &waiting)
                }
            }
            if isAllText { loaded.fillRequiredTexts(&values) }
            let key = try transaction.insert(into: loaded.table, values: values)
            for (property, target) in waiting {
                forwardLinks.append(ForwardLink(source: key, className: name, property: property, target: target, line: line))
            }
            for (index, property) in embedded {
                do {
                    try embed(object.values[index], property, loaded, in: key)
                } catch {
                    try transaction.delete(key, from: loaded.table)
                    throw error
                }
            }
            return key
        } catch {
            throw LoadFault(error)
        }
    }

    /// The value of a property that links to no object.
    @inline(__always)
    private func plainValue(_ imported: ImportedValue, _ type: PropertyType, _ property: Int, _ loaded: LoadedClass) throws(LoadFault) -> Value {
        do throws(ConversionError) { return try imported.converted(to: type, rounding: loaded.rounds[property]) } catch {
            throw .record("property '\(loaded.schema.properties[property].name)': \(error.message)")
        }
    }

    /// Converts one property's value; links to objects that may come later are deferred.
    private func value(
        _ imported: ImportedValue, _ property: Int, _ loaded: LoadedClass, _ waiting: inout [(Int, Awaited)]
    ) throws -> Value {
        let schema = loaded.schema.properties[property]
        var missing: Value?
        let value = try conversion(of: schema) {
            try imported.collection(schema.collections[...]) { element in
                try self.element(element, property, loaded) { missing = $0 }
            }
        }
        guard let missing else { return value }
        let isDirect = schema.collections.isEmpty && (schema.type != .mixed || imported.tagged?.type == PropertyType.link.name)
        waiting.append((property, isDirect ? .object(missing) : .collection(imported)))
        return .null
    }

    /// Converts one value, or one element of a collection.
    /// - Parameter isMissing: called for a target that may come later; otherwise a missing target is an error.
    private func element(_ imported: ImportedValue, _ property: Int, _ loaded: LoadedClass,
                         isMissing: ((Value) -> Void)? = nil) throws -> Value {
        let schema = loaded.schema.properties[property]
        guard let target = schema.linkTarget else {
            if schema.type == .mixed, let tagged = imported.tagged, tagged.type == PropertyType.link.name {
                return try mixedLink(tagged.value, property, loaded, isMissing)
            }
            if schema.type == .mixed, let collection = try imported.mixedCollection({ part in
                try self.element(part, property, loaded, isMissing: isMissing)
            }) { return collection }
            return try imported.converted(to: schema.type, rounding: loaded.rounds[property])
        }
        switch imported {
        case .null: return .null
        case .object(let object): return .link(try nestedObject(object, target))
        default: return try link(to: imported, of: target, property, loaded, isMissing)
        }
    }

    /// Whether a class is the class of the records or extends it: its objects may come later in the text.
    private func isOwn(_ name: String) throws(FreeholdError) -> Bool { try extends(name, className) }

    private func link(to imported: ImportedValue, of target: String, _ property: Int, _ loaded: LoadedClass,
                      _ isMissing: ((Value) -> Void)?) throws -> Value {
        let targetClass = try loadedClass(target)
        let wanted = try targetClass.keyValue(imported, for: loaded.schema.properties[property].name)
        if let key = try targetClass.find(wanted) {
            return loaded.schema.properties[property].linkTarget == nil ? .object(targetClass.table.reference(to: key)) : .link(key)
        }
        guard let isMissing, try isOwn(target), try isOwn(loaded.schema.name) else {
            throw LoadFault.record(loaded.noTarget(of: target, property, wanted))
        }
        isMissing(wanted)
        return .null
    }

    /// `{"class": "Person", "key": 7}`
    private func mixedLink(_ imported: ImportedValue, _ property: Int, _ loaded: LoadedClass,
                           _ isMissing: ((Value) -> Void)?) throws -> Value {
        guard case .object(let object) = imported, case .text(let target)? = object["class"], let key = object["key"] else {
            throw LoadFault.record("property '\(loaded.schema.properties[property].name)': a link needs a class and a key")
        }
        return try link(to: key, of: target, property, loaded, isMissing)
    }

    /// Converts a deferred value after all objects have been imported.
    private func awaited(_ target: Awaited, _ property: Int, _ loaded: LoadedClass) throws -> Value {
        switch target {
        case .object(let key):
            let target = try loadedClass(loaded.schema.properties[property].linkTarget ?? className)
            guard let found = try target.find(key) else { throw LoadFault.record(loaded.noTarget(of: target.schema.name, property, key)) }
            return loaded.schema.properties[property].linkTarget == nil ? .object(target.table.reference(to: found)) : .link(found)
        case .collection(let imported): return try strictValue(imported, property, loaded)
        }
    }

    /// Converts one property's value, all of whose link targets exist.
    func strictValue(_ imported: ImportedValue, _ property: Int, _ loaded: LoadedClass) throws -> Value {
        let schema = loaded.schema.properties[property]
        return try conversion(of: schema) {
            try imported.collection(schema.collections[...]) { try self.element($0, property, loaded) }
        }
    }

    private func conversion(of schema: PropertySchema, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as ConversionError {
            throw LoadFault.record("property '\(schema.name)': \(error.message)")
        }
    }

    /// The object of another class for a nested object: the existing one with the same primary key, or a new one.
    private func nestedObject(_ object: ImportedObject, _ name: String) throws -> ObjectKey {
        let name = try concreteName(object, of: name), loaded = try loadedClass(name)
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

    func loadedClass(_ name: String) throws(FreeholdError) -> LoadedClass {
        // Most records have the class of the previous record.
        if let last = lastLoaded, last.name.isSame(as: name) { return last.loaded }
        if let known = classes[name] {
            lastLoaded = (name, known)
            return known
        }
        guard let transaction else { throw FreeholdError(.notInWrite, "the import has no transaction") }
        let lineage = try lineage(of: name)
        let loaded = LoadedClass(try transaction.table(name)) { stated.has($0, of: name, lineage: lineage) }
        classes[name] = loaded
        return loaded
    }
}
