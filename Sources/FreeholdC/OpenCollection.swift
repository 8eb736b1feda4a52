import CFreehold
import FreeholdEngine

/// A collection, held by C programs through a handle. It stores a location, so that it outlives other changes.
final class OpenCollection: Handled {
    static let kind = HandleKind.collection

    /// A collection as a reader reads it.
    enum View {
        case list(ListView)
        case set(SetView)
        case map(MapView)
    }

    /// A collection as a transaction changes it.
    enum Writer {
        case list(ListWriter)
        case set(SetWriter)
        case map(MapWriter)
    }

    let reader: Reader
    private let className: String
    private let property: String
    private let key: ObjectKey
    private let column: Column
    /// The kind of the outermost collection, and the steps to this one, each with the kind that it leads to.
    private let outermost: CollectionKind
    private let path: [(step: CollectionStep, kind: CollectionKind)]
    /// The memory of the values returned last.
    let memory = ValueMemory()
    /// The memory of the changes returned last.
    let changed = ValueMemory()

    var kind: CollectionKind { path.last?.kind ?? outermost }

    /// The address of the collection, in any version.
    var address: CollectionAddress { CollectionAddress(property, of: key, in: className, path: path.map(\.step)) }

    private init(_ other: OpenCollection, _ step: CollectionStep, _ kind: CollectionKind) {
        (reader, className, property, key, column) = (other.reader, other.className, other.property, other.key, other.column)
        outermost = other.outermost
        path = other.path + [(step, kind)]
    }

    /// Opens the collection in a property of an object; nil if there is no such object.
    init?(_ read: ReadClass, _ number: freehold_property_t, _ key: ObjectKey) throws {
        reader = read.reader
        className = read.schema.name
        self.key = key
        let column = try read.column(number)
        self.column = column
        property = read.schema.properties[Int(number)].name
        path = []
        guard let row = try read.table.row(key) else { return nil }
        if let declared = read.schema.properties[Int(number)].collections.first {
            outermost = declared
        } else {
            outermost = try Self.kindFound(list: { _ = try row.list(column) }, set: { _ = try row.set(column) },
                                           map: { _ = try row.map(column) })
        }
    }

    /// Opens the collection at the same location through another reader; nil if there is no such object.
    func another(through reader: Reader) throws -> OpenCollection? {
        let read = try reader.readClass(named: className)
        guard let number = read.schema.properties.firstIndex(where: { $0.name.isSame(as: property) }) else {
            throw FreeholdError(.unknownProperty, "class '\(className)' has no property '\(property)' there")
        }
        guard var place = try OpenCollection(read, freehold_property_t(number), key) else { return nil }
        for (step, kind) in path { place = OpenCollection(place, step, kind) }
        return place
    }

    /// The first kind whose test succeeds; throws the last test's error if none does.
    private static func kindFound(list: () throws -> Void, set: () throws -> Void, map: () throws -> Void) throws -> CollectionKind {
        if try isKind(list) { return .list }
        if try isKind(set) { return .set }
        try map()
        return .map
    }

    private static func isKind(_ test: () throws -> Void) throws -> Bool {
        do {
            try test()
            return true
        } catch let error as FreeholdError where error.code == .typeMismatch {
            return false
        }
    }

    /// The class in the reader's present version.
    func readClass() throws(FreeholdError) -> ReadClass {
        try reader.use()
        return try reader.readClass(named: className)
    }

    /// The class that the collection's links lead to, or `none`.
    func target(_ read: ReadClass) -> freehold_class_t {
        read.schema.properties.firstIndex { $0.name.isSame(as: property) }.map { read.targets[$0] } ?? ReadClass.none
    }

    /// The name of the class that the collection's links lead to; throws if they may lead to objects of any class.
    func targetName() throws(FreeholdError) -> String {
        let target = target(try readClass())
        guard target != ReadClass.none else {
            throw FreeholdError(.typeMismatch, "the elements of '\(property)' of class '\(className)' are no links to objects of one class")
        }
        return try reader.readClass(target).schema.name
    }

    /// The collection in the reader's present version.
    func view(_ read: ReadClass) throws(FreeholdError) -> View {
        guard let row = try read.table.row(key) else {
            throw FreeholdError(.objectDeleted, "object \(key) of class '\(className)' was deleted, and its collections with it")
        }
        var view: View = switch outermost {
        case .list: .list(try row.list(column))
        case .set: .set(try row.set(column))
        case .map: .map(try row.map(column))
        }
        for (step, kind) in path { view = try view.inner(step, kind) }
        return view
    }

    /// The writer of the collection.
    func writer() throws(FreeholdError) -> Writer { try changing().writer }

    /// The writer of the collection, and the class with which values to be stored are read. Looking up the class once
    /// more would free the memory borrowed from the last call.
    func changing() throws(FreeholdError) -> (writer: Writer, read: ReadClass) {
        let read = try readClass(), table = read.table, transaction = try reader.transaction()
        var writer: Writer = switch outermost {
        case .list: .list(try transaction.list(of: key, in: table, column))
        case .set: .set(try transaction.set(of: key, in: table, column))
        case .map: .map(try transaction.map(of: key, in: table, column))
        }
        for (step, kind) in path { writer = try writer.inner(step, kind) }
        return (writer, read)
    }

    /// Opens a collection within this one.
    func inner(_ step: CollectionStep) throws -> OpenCollection {
        let read = try readClass(), view = try view(read)
        // A declared collection need not exist yet: its first change creates it.
        let declared = read.schema.properties.first { $0.name.isSame(as: property) }?.collections ?? []
        if declared.count > path.count + 1, case .key(let key) = step, case .map(let map) = view, reader.isTransaction,
           try map.position(of: key) == nil {
            return OpenCollection(self, step, declared[path.count + 1])
        }
        let kind = try Self.kindFound(list: { _ = try view.inner(step, .list) }, set: { _ = try view.inner(step, .set) },
                                      map: { _ = try view.inner(step, .map) })
        return OpenCollection(self, step, kind)
    }

    /// Converts a caller's value to an element.
    func element(_ value: freehold_value_t, _ read: ReadClass) throws(FreeholdError) -> Value {
        try value.engineValue(target: target(read), reader)
    }

    /// Converts a caller's value for a search: to the elements' type, which determines where the value would be.
    func wanted(_ value: freehold_value_t, _ read: ReadClass) throws(FreeholdError) -> Value {
        let given = try element(value, read)
        if column.type == .mixed || given.type == column.type || given == .null { return given }
        if given.type == .int || given.type == .float, [.float, .double, .decimal].contains(column.type),
           let converted = given.converted(to: column.type) { return converted }
        throw FreeholdError(.typeMismatch, "the elements of '\(property)' are of type \(column.type.name)")
    }

    /// Converts a caller's values to elements.
    func elements(_ values: UnsafePointer<freehold_value_t>?, _ count: Int, _ read: ReadClass) throws(FreeholdError) -> [Value] {
        var elements: [Value] = []
        for value in try Given.array(values, count, "values") { elements.append(try element(value, read)) }
        return elements
    }
}

extension OpenCollection.View {
    fileprivate func inner(_ step: CollectionStep, _ kind: CollectionKind) throws(FreeholdError) -> OpenCollection.View {
        switch (self, step, kind) {
        case (.list(let list), .position(let place), .list): .list(try list.list(at: place))
        case (.list(let list), .position(let place), .set): .set(try list.set(at: place))
        case (.list(let list), .position(let place), .map): .map(try list.map(at: place))
        case (.map(let map), .key(let key), .list): .list(try map.list(for: key))
        case (.map(let map), .key(let key), .set): .set(try map.set(for: key))
        case (.map(let map), .key(let key), .map): .map(try map.map(for: key))
        default: throw OpenCollection.noStep
        }
    }
}

extension OpenCollection.Writer {
    fileprivate func inner(_ step: CollectionStep, _ kind: CollectionKind) throws(FreeholdError) -> OpenCollection.Writer {
        switch (self, step, kind) {
        case (.list(let list), .position(let place), .list): .list(list.list(at: place))
        case (.list(let list), .position(let place), .set): .set(list.set(at: place))
        case (.list(let list), .position(let place), .map): .map(list.map(at: place))
        case (.map(let map), .key(let key), .list): .list(map.list(for: key))
        case (.map(let map), .key(let key), .set): .set(map.set(for: key))
        case (.map(let map), .key(let key), .map): .map(map.map(for: key))
        default: throw OpenCollection.noStep
        }
    }
}

extension OpenCollection {
    fileprivate static let noStep = FreeholdError(.typeMismatch, "collections are in lists at a position (an int), and in maps under a key (a string)")
}
