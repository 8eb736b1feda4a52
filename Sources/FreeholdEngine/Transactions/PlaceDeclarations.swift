/// The indexes of places of a transaction's classes: added, dropped.
///
/// By an index `GEOWITHIN` finds what it finds object by object, sooner.
///
/// ```swift
/// try database.write { try $0.places.add("location", to: "Shop") }
/// try database.buildIndexes()
/// ```
public struct PlaceDeclarations {
    let transaction: WriteTransaction

    /// Adds an index of the places in the objects that a to-one link leads to, by their properties `type` and `coordinates`.
    /// If the class has one, nothing changes.
    ///
    /// The commit builds it for up to 20,000 objects; `Database.buildIndexes` adds the rest in slices, while others read and
    /// write. Until then queries search object by object. From then on, programs that do not know indexes of places can read
    /// the file, and not write it.
    ///
    /// - Parameter link: the to-one link; nil if the class itself has these properties.
    /// - Returns: the number by which the index can be dropped.
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for properties of other types.
    @discardableResult
    public func add(_ link: String?, to className: String) throws(FreeholdError) -> UInt32 {
        try add(Self.fields(link), to: className)
    }

    /// Adds an index of the places at a latitude and a longitude: doubles of the class, or of the object that a to-one link leads
    /// to, as in `home.latitude`. If the class has one, nothing changes.
    ///
    /// - Returns: the number by which the index can be dropped.
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for properties of other types.
    @discardableResult
    public func add(latitude: String, longitude: String, to className: String) throws(FreeholdError) -> UInt32 {
        try add(try Self.fields(latitude, longitude), to: className)
    }

    /// Adds an index of places as a class declares it. If the class has it, nothing changes.
    ///
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for properties of other types.
    public func add(_ index: PlaceIndex, to className: String) throws(FreeholdError) {
        _ = try add(try Self.fields(index), to: className)
    }

    /// Adds the indexes of places that classes declare.
    func addAll(of classes: [ClassSchema]) throws(FreeholdError) {
        for wanted in classes {
            for index in wanted.placeIndexes { try add(index, to: wanted.name) }
        }
    }

    /// Drops an index of places and frees its space. Its number is not reused.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class has no such index.
    public func drop(_ number: UInt32, from className: String) throws(FreeholdError) {
        try transaction.derived.drop(number, from: className)
    }

    /// Drops the index that `add` with the same link has added.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class has no such index.
    public func drop(_ link: String?, from className: String) throws(FreeholdError) {
        try drop(Self.fields(link), from: className)
    }

    /// Drops the index that `add` with the same latitude and longitude has added.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class has no such index.
    public func drop(latitude: String, longitude: String, from className: String) throws(FreeholdError) {
        try drop(try Self.fields(latitude, longitude), from: className)
    }

    /// Drops the index of places over the same properties.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class has no such index.
    public func drop(_ index: PlaceIndex, from className: String) throws(FreeholdError) {
        try drop(try Self.fields(index), from: className)
    }

    /// The two properties of each index of places that a class itself declares, damaged ones included: a latitude and a longitude,
    /// or `type` and `coordinates`, which `add` and `drop` take too.
    ///
    /// - Throws: `.unknownClass`.
    public func indexes(of className: String) throws(FreeholdError) -> [[String]] {
        let schema = transaction.schema, number = try schema.number(of: className)
        return schema.places(ofClass: number).map { schema.paths(of: $0, in: number) }
    }
}

extension PlaceDeclarations {
    private func add(_ fields: [DerivedSchema.Field], to className: String) throws(FreeholdError) -> UInt32 {
        if let known = try find(fields, of: className) { return known.number }
        return try transaction.derived.add(DerivedSchema(kind: PlacesKind.number, fields: fields), to: className)
    }

    private func drop(_ fields: [DerivedSchema.Field], from className: String) throws(FreeholdError) {
        guard let known = try find(fields, of: className) else {
            let paths = fields.map(\.path).joined(separator: ", ")
            throw FreeholdError(.invalidArgument, "class '\(className)' has no index of places over '\(paths)'",
                                path: transaction.core.path)
        }
        try transaction.derived.drop(known.number, from: className)
    }

    /// The index of places over these fields that the class itself declares.
    private func find(_ fields: [DerivedSchema.Field], of className: String) throws(FreeholdError) -> StoredDerived? {
        let schema = transaction.schema, number = try schema.number(of: className), paths = fields.map(\.path)
        return schema.places(ofClass: number).first { schema.paths(of: $0, in: number).isSame(as: paths) }
    }

    private static func fields(_ link: String?) -> [DerivedSchema.Field] {
        ["type", "coordinates"].map { DerivedSchema.Field(link: link, property: $0) }
    }

    private static func fields(_ latitude: String, _ longitude: String) throws(FreeholdError) -> [DerivedSchema.Field] {
        try fields(PlaceIndex(latitude: latitude, longitude: longitude))
    }

    private static func fields(_ index: PlaceIndex) throws(FreeholdError) -> [DerivedSchema.Field] {
        var fields: [DerivedSchema.Field] = []
        for path in index.paths {
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard (1...2).contains(names.count), !names.contains("") else {
                throw FreeholdError(.invalidArgument, "'\(path)' is no field of an index of places: write a property, or a link, a dot and "
                    + "a property")
            }
            fields.append(DerivedSchema.Field(link: names.count == 2 ? names[0] : nil, property: names[names.count - 1]))
        }
        return fields
    }
}

extension DerivedSchema.Field {
    /// The names of a property, or of a link and a property.
    fileprivate var path: String { (link.map { $0 + "." } ?? "") + property }
}

extension WriteTransaction {
    /// The indexes of places of its classes.
    public var places: PlaceDeclarations { PlaceDeclarations(transaction: self) }
}

extension StoredSchema {
    /// The indexes of places that a class itself declares.
    func places(ofClass number: Int) -> [StoredDerived] {
        let stored = classes[table(of: number)], owner = Int(stored.number) == number ? nil : UInt32(number)
        return stored.derived.filter { $0.isPlaces && $0.owner == owner }
    }

    /// The indexes of places that a class itself declares, as programs declare them.
    func placeIndexes(ofClass number: Int) -> [PlaceIndex] { places(ofClass: number).map { placeIndex($0, in: number) } }

    /// An index of places as programs declare it.
    func placeIndex(_ index: StoredDerived, in number: Int) -> PlaceIndex { PlaceIndex(paths: paths(of: index, in: number)) }

    /// The names of an index's fields.
    func paths(of index: StoredDerived, in number: Int) -> [String] { index.fields.map { path(of: $0, in: number) } }
}

extension StoredDerived {
    var isPlaces: Bool { kind == Self.places && flags == 0 }
}
