/// An index of places of one version of a file, with its state.
///
/// ```swift
/// for status in try database.snapshot().placeIndexes() {
///     print(status.className, status.paths, status.percent)
/// }
/// ```
public struct PlaceIndexStatus: Sendable, Equatable {
    /// The class that declares it; objects of its subclasses are in it, too.
    public let className: String
    /// Its two properties: a latitude and a longitude, or `type` and `coordinates`, perhaps of the object that a link leads to.
    public let paths: [String]
    /// It as a class declares it.
    public var index: PlaceIndex { PlaceIndex(paths: paths) }
    public let state: DerivedIndexState
    /// The number of objects that it has. The objects inserted last, at most 255, are in no index; queries read them directly.
    public let documents: Int
    /// Percent of the objects that it has.
    public let percent: Int
}

extension Snapshot {
    /// The indexes of places of all classes.
    ///
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if the root of one is damaged.
    public func placeIndexes() throws(FreeholdError) -> [PlaceIndexStatus] {
        let schema = try contents().schema
        return try derivedStates().filter(\.index.isPlaces).map { $0.places(in: schema) }
    }
}

extension PlaceDeclarations {
    /// The indexes of places that the classes have now, with the state of the version that the transaction began with: one
    /// added since has no object of that version.
    public func statuses() throws(FreeholdError) -> [PlaceIndexStatus] {
        try transaction.derived.states().filter(\.index.isPlaces).map { $0.places(in: transaction.schema) }
    }
}

extension DerivedEntry {
    /// An index of places as programs see it.
    fileprivate func places(in schema: StoredSchema) -> PlaceIndexStatus {
        let owner = Int(index.owner ?? stored.number)
        return PlaceIndexStatus(
            className: schema.classes[owner].name, paths: schema.paths(of: index, in: owner), state: state,
            documents: state.coveredCount(of: sealedCount), percent: percent)
    }
}

extension StoredSchema {
    /// The indexes of places that a class itself declares.
    func places(ofClass number: Int) -> [StoredDerived] {
        let stored = classes[table(of: number)], owner = Int(stored.number) == number ? nil : UInt32(number)
        return stored.derived.filter { $0.isPlaces && $0.owner == owner }
    }

    /// The indexes of places that a class itself declares, as programs declare them.
    func placeIndexes(ofClass number: Int) -> [PlaceIndex] {
        places(ofClass: number).map { PlaceIndex(paths: paths(of: $0, in: number)) }
    }

    /// The names of an index's fields.
    func paths(of index: StoredDerived, in number: Int) -> [String] { index.fields.map { path(of: $0, in: number) } }
}

extension StoredDerived {
    var isPlaces: Bool { kind == Self.places && flags == 0 }
}
