import CFreehold
import FreeholdEngine

/// A collection, held by C programs through a handle: the engine's cursor, and the reader that it is read through.
final class OpenCollection: Handled {
    static let kind = HandleKind.collection

    let reader: Reader
    private let className: String
    private let property: String
    private let column: Column
    private let cursor: CollectionCursor
    // Safe: a collection is used by one thread at a time, as its reader is, and no call enters it again.
    /// The collection of a snapshot as it was read last, and the reader's generation then.
    @exclusivity(unchecked) private var last: (generation: UInt64, view: CollectionView)?
    /// The memory of the values returned last.
    let memory = ValueMemory()
    /// The memory of the changes returned last.
    let changed = ValueMemory()

    var kind: CollectionKind { cursor.kind }

    /// The address of the collection, in any version.
    var address: CollectionAddress { cursor.address(of: property, in: className) }

    private init(_ reader: Reader, _ className: String, _ property: String, _ column: Column, _ cursor: CollectionCursor) {
        (self.reader, self.className, self.property, self.column, self.cursor) = (reader, className, property, column, cursor)
    }

    /// Opens the collection in a property of an object; nil if there is no such object.
    convenience init?(_ read: ReadClass, _ number: freehold_property_t, _ key: ObjectKey) throws(FreeholdError) {
        let column = try read.column(number)
        guard let cursor = try CollectionCursor(of: key, in: read.table, column) else { return nil }
        self.init(read.reader, read.schema.name, read.schema.properties[Int(number)].name, column, cursor)
    }

    /// Opens the collection at the same location through another reader; nil if it is not there.
    func another(through reader: Reader) throws(FreeholdError) -> OpenCollection? {
        let read = try reader.readClass(named: className)
        guard let number = number(in: read) else {
            throw FreeholdError(.unknownProperty, "class '\(className)' has no property '\(property)' there")
        }
        let column = read.columns[number]
        guard try cursor.canOpen(in: read.table, column, creating: reader.isTransaction) else { return nil }
        return OpenCollection(reader, className, property, column, cursor)
    }

    /// Opens a collection within this one.
    func inner(_ step: CollectionStep) throws(FreeholdError) -> OpenCollection {
        let inner = try cursor.inner(step, in: try readClass().table, column, creating: reader.isTransaction)
        return OpenCollection(reader, className, property, column, inner)
    }

    /// The class in the reader's present version.
    func readClass() throws(FreeholdError) -> ReadClass {
        try reader.use()
        return try reader.readClass(named: className)
    }

    private func number(in read: ReadClass) -> Int? { read.schema.properties.firstIndex { $0.name.isSame(as: property) } }

    /// The class that the collection's links lead to, or `none`.
    func target(_ read: ReadClass) -> freehold_class_t { number(in: read).map { read.targets[$0] } ?? ReadClass.none }

    /// The name of the class that the collection's links lead to; throws if they may lead to objects of any class.
    func targetName() throws(FreeholdError) -> String {
        let target = target(try readClass())
        guard target != ReadClass.none else {
            throw FreeholdError(.typeMismatch, "the elements of '\(property)' of class '\(className)' are no links to objects of one class")
        }
        return try reader.readClass(target).schema.name
    }

    /// The collection in the reader's present version.
    func view(_ read: ReadClass) throws(FreeholdError) -> CollectionView {
        if let last, last.generation == reader.generation { return last.view }
        let view = try cursor.view(in: read.table, column)
        // Any change of a transaction may move what was found; what a snapshot shows stays until it moves.
        if !reader.isTransaction { last = (reader.generation, view) }
        return view
    }

    /// Changes the collection. `body` receives its writer, and the class with which values to be stored are read: looking
    /// up the class once more would free the memory borrowed from the last call.
    func change<Result>(_ body: (CollectionWriter, ReadClass) throws -> Result) throws -> Result {
        let read = try readClass(), transaction = try reader.transaction()
        do {
            return try body(try cursor.writer(in: transaction, read.table, column), read)
        } catch let error as FreeholdError {
            throw cursor.explained(error, in: read.table, column)
        }
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
