/// A list of one object as a reader sees it, valid as long as its row.
///
/// ```swift
/// let scores = try row.list(scoresColumn)
/// print(scores.count, try scores[0], try scores.values(in: 10..<20))
/// ```
public struct ListView {
    let reader: CollectionReader

    /// The number of elements.
    public var count: Int { reader.count }
    /// Whether the list is empty.
    public var isEmpty: Bool { count == 0 }

    /// The element at a position; throws `.invalidArgument` if there is none. A collection is returned with its
    /// contents.
    public subscript(position: Int) -> Value {
        get throws(FreeholdError) { try reader.value(at: try reader.position(of: .position(position))) }
    }

    /// The elements of a range of positions.
    public func values(in range: Range<Int>) throws(FreeholdError) -> [Value] { try reader.values(in: range) }

    /// Calls `body` with each element in order, until it returns false.
    public func forEach(_ body: (Value) throws(FreeholdError) -> Bool) throws(FreeholdError) { try reader.forEach(in: 0..<count, body) }

    /// Calls `body` with each element of a list of integers (or bools as 0 and 1, or links as keys), null as 0. Reads a
    /// whole leaf at a time. Throws `.typeMismatch` for other element types.
    public func forEachInt(_ body: (Int64) throws -> Void) throws {
        guard reader.shape.isPlain, [.int, .bool, .link].contains(reader.shape.type) else {
            throw FreeholdError(.typeMismatch, "the elements of this list are not integers")
        }
        try reader.forEachInteger(body)
    }

    /// A walk over the elements, beginning with the one at `position`.
    public func walk(from position: Int = 0) -> ElementWalk { ElementWalk(reader, from: position) }

    /// The number of elements of a list of links that point to an object.
    public func count(of link: ObjectKey) throws(FreeholdError) -> Int { try reader.count(of: LinkTarget(link.rawValue)) }

    /// The list at a position; throws `.typeMismatch` if the element is another kind.
    public func list(at position: Int) throws(FreeholdError) -> ListView { ListView(reader: try reader.inner(.position(position), .list)) }
    /// The set at a position; throws `.typeMismatch` if the element is another kind.
    public func set(at position: Int) throws(FreeholdError) -> SetView { SetView(reader: try reader.inner(.position(position), .set)) }
    /// The map at a position; throws `.typeMismatch` if the element is another kind.
    public func map(at position: Int) throws(FreeholdError) -> MapView { MapView(reader: try reader.inner(.position(position), .map)) }
}

/// A set of one object as a reader sees it, valid as long as its row. Ordered by value.
public struct SetView {
    let reader: CollectionReader

    /// The number of elements.
    public var count: Int { reader.count }
    /// Whether the set is empty.
    public var isEmpty: Bool { count == 0 }

    /// Whether the set contains the value.
    public func contains(_ value: Value) throws(FreeholdError) -> Bool { try reader.search(value).isFound }

    /// The position of a value in the set's order; nil if the set does not contain it.
    public func position(of value: Value) throws(FreeholdError) -> Int? {
        let (position, isFound) = try reader.search(value)
        return isFound ? position : nil
    }

    /// The element at a position in the set's order; throws `.invalidArgument` if there is none.
    public subscript(position: Int) -> Value {
        get throws(FreeholdError) {
            guard position >= 0, position < count else { throw CollectionError.noPosition(position, count) }
            return try reader.value(at: position)
        }
    }

    /// The elements of a range of positions.
    public func values(in range: Range<Int>) throws(FreeholdError) -> [Value] { try reader.values(in: range) }

    /// A walk over the elements, in the set's order.
    public func walk() -> ElementWalk { ElementWalk(reader, from: 0) }
}

/// A map of one object from strings to values as a reader sees it, valid as long as its row. Ordered by the keys'
/// bytes.
public struct MapView {
    let reader: CollectionReader

    /// The number of keys.
    public var count: Int { reader.count }
    /// Whether the map is empty.
    public var isEmpty: Bool { count == 0 }

    /// The value of a key; nil if the map does not have the key.
    public subscript(key: String) -> Value? {
        get throws(FreeholdError) {
            let (position, isFound) = try reader.search(key: key)
            return isFound ? try reader.value(at: position) : nil
        }
    }

    /// The position of a key in the map's order; nil if the map does not have it.
    public func position(of key: String) throws(FreeholdError) -> Int? {
        let (position, isFound) = try reader.search(key: key)
        return isFound ? position : nil
    }

    /// The value at a position in the map's order; throws `.invalidArgument` if there is none.
    public func value(at position: Int) throws(FreeholdError) -> Value {
        guard position >= 0, position < count else { throw CollectionError.noPosition(position, count) }
        return try reader.value(at: position)
    }

    /// The key at a position in the map's order; throws `.invalidArgument` if there is none.
    public func key(at position: Int) throws(FreeholdError) -> String {
        guard position >= 0, position < count else { throw CollectionError.noPosition(position, count) }
        return try reader.key(at: position)
    }

    /// All keys, in order.
    public func keys() throws(FreeholdError) -> [String] {
        var keys: [String] = []
        for position in 0..<count { keys.append(try reader.key(at: position)) }
        return keys
    }

    /// A walk over the values, in the order of their keys.
    public func walk() -> ElementWalk { ElementWalk(reader, from: 0) }

    /// The list of a key; throws `.invalidArgument` if there is none, `.typeMismatch` if the value is another kind.
    public func list(for key: String) throws(FreeholdError) -> ListView { ListView(reader: try reader.inner(.key(key), .list)) }
    /// The set of a key; throws `.invalidArgument` if there is none, `.typeMismatch` if the value is another kind.
    public func set(for key: String) throws(FreeholdError) -> SetView { SetView(reader: try reader.inner(.key(key), .set)) }
    /// The map of a key; throws `.invalidArgument` if there is none, `.typeMismatch` if the value is another kind.
    public func map(for key: String) throws(FreeholdError) -> MapView { MapView(reader: try reader.inner(.key(key), .map)) }
}

/// A position in a collection that advances over its elements without looking each of them up.
public struct ElementWalk {
    private let reader: CollectionReader
    /// The position of the element that `next` returns.
    public private(set) var position: Int
    private var leaf: ListLeaf?
    private var row = 0

    init(_ reader: CollectionReader, from position: Int) {
        self.reader = reader
        self.position = max(0, position)
    }

    /// The next element, or nil after the last.
    public mutating func next() throws(FreeholdError) -> Value? {
        guard position < reader.count else { return nil }
        defer {
            position += 1
            row += 1
        }
        guard let tree = reader.tree else { return try reader.value(at: position) }
        // A leaf in a window may have been given back meanwhile.
        if let leaf, leaf.view.kindByte != 0, row < leaf.count { return try leaf.value(row, in: reader.access) }
        let found = try tree.leaf(at: position)
        leaf = found.leaf
        row = found.row
        return try found.leaf.value(row, in: reader.access)
    }
}

extension CollectionReader {
    /// The elements of several ranges.
    func values(in ranges: [Range<Int>]) throws(FreeholdError) -> [Value] {
        var values: [Value] = []
        for range in ranges { values += try self.values(in: range) }
        return values
    }

    /// The elements of a range of positions, for a map the values.
    func values(in range: Range<Int>) throws(FreeholdError) -> [Value] {
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw CollectionError.noPosition(range.lowerBound < 0 ? range.lowerBound : range.upperBound - 1, count)
        }
        var values: [Value] = []
        values.reserveCapacity(min(range.count, 1 << 16))
        try forEach(in: range) { value throws(FreeholdError) in
            values.append(value)
            return true
        }
        return values
    }

    fileprivate func inner(_ step: CollectionStep, _ kind: CollectionKind) throws(FreeholdError) -> CollectionReader {
        try inner(at: try position(of: step)).requiring(kind)
    }

    func requiring(_ kind: CollectionKind) throws(FreeholdError) -> CollectionReader {
        if shape.kind == kind { return self }
        throw FreeholdError(.typeMismatch, "expected a \(kind.name), found a \(shape.kind.name)")
    }
}

extension Row {
    /// The list in a property; throws `.typeMismatch` if the property is not a list.
    public func list(_ column: Column) throws(FreeholdError) -> ListView { ListView(reader: try collection(column).requiring(.list)) }

    /// The set in a property; throws `.typeMismatch` if the property is not a set.
    public func set(_ column: Column) throws(FreeholdError) -> SetView { SetView(reader: try collection(column).requiring(.set)) }

    /// The map in a property; throws `.typeMismatch` if the property is not a map.
    public func map(_ column: Column) throws(FreeholdError) -> MapView { MapView(reader: try collection(column).requiring(.map)) }
}
