/// A property of a table in a Realm file.
struct RealmColumn {
    /// The types of values; raw values are those of the format.
    enum Kind: UInt8 {
        case int = 0, bool = 1, string = 2, data = 4, mixed = 6, date = 8, float = 9, double = 10, decimal = 11, link = 12
        case objectId = 15, typedLink = 16, uuid = 17
    }

    /// What the column holds for each object.
    enum Shape {
        case single, list, set, dictionary
    }

    let name: String
    /// Identifies the column in its table, with its type and its place.
    let key: Int64
    let kind: Kind
    let shape: Shape
    let isNullable: Bool
    let isIndexed: Bool
    let isFullText: Bool
    /// The key of the table that links lead to.
    let targetKey: Int64
    /// The reference to the distinct strings; 0 if they are not enumerated.
    let enumeration: Int64
    /// The place among the classes of the class that links lead to, and whether that is embedded.
    var target: (place: Int, isEmbedded: Bool)?

    /// The place of its leaf in a cluster, after the keys.
    var leaf: Int { 1 + Int(key & 0xFFFF) }
}

/// A table of a Realm file that holds the objects of a class.
struct RealmTable {
    private enum Top {
        static let spec = 0, clusters = 2, key = 3, indexes = 4, targets = 7, primaryKey = 11, flags = 12
    }

    /// The class's name.
    let name: String
    let key: Int64
    /// The root of the tree of its objects.
    let clusters: Int64
    let isEmbedded: Bool
    let isAsymmetric: Bool
    /// The key of the column that is the primary key; nil if there is none.
    let primaryKey: Int64?
    var columns: [RealmColumn]
    /// The number of objects, as the root of their tree says.
    let count: Int

    init(_ pages: RealmPages, name: String, at reference: Int64) throws(SourceError) {
        self.name = name
        let top = try pages.references(reference)
        key = try top.tagged(Top.key) ?? 0
        clusters = try top.required(Top.clusters)
        let flags = top.count > Top.flags ? try top.tagged(Top.flags) ?? 0 : 0
        isEmbedded = flags & 3 == 1
        isAsymmetric = flags & 3 == 2
        primaryKey = top.count > Top.primaryKey ? try top.tagged(Top.primaryKey).flatMap { $0 == 0 ? nil : $0 } : nil
        columns = try Self.columns(pages, top)
        count = try pages.clusterCount(clusters)
    }

    private static func columns(_ pages: RealmPages, _ top: RealmNode) throws(SourceError) -> [RealmColumn] {
        let spec = try pages.references(top.required(Top.spec))
        let types = try pages.integers(spec.required(0)), names = try RealmTexts(pages, at: spec.required(1), isText: true)
        let attributes = try pages.integers(spec.required(2)), keys = try pages.integers(spec.required(5))
        let enumerations = try spec.required(4) == 0 ? nil : try pages.references(spec.required(4))
        let targets = top.count > Top.targets && top.integer(Top.targets) != 0 ? try pages.integers(top.integer(Top.targets)) : nil
        let indexes = try top.required(Top.indexes) == 0 ? nil : try pages.references(top.required(Top.indexes))
        guard names.count <= 1 << 16, names.count <= types.count, types.count == keys.count, types.count == attributes.count else {
            throw .damaged("a table has \(names.count) names, \(types.count) types and \(keys.count) keys of columns", spec.reference)
        }
        var columns: [RealmColumn] = []
        // Backlinks come last and have no names.
        for place in 0..<names.count {
            let key = keys.integer(place), leaf = Int(key & 0xFFFF)
            guard let name = try pages.string(names, place) else { throw .damaged("a property has no name", spec.reference) }
            let type = try RealmColumnType(key: key, stated: types.integer(place), at: spec.reference)
            guard let kind = type.kind else { continue }
            let attribute = attributes.integer(place)
            columns.append(RealmColumn(
                name: name, key: key, kind: kind, shape: type.shape, isNullable: type.isNullable,
                isIndexed: attribute & 1 != 0 || indexes.map { leaf < $0.count && $0.integer(leaf) != 0 } ?? false,
                isFullText: attribute & 256 != 0, targetKey: targets.map { leaf < $0.count ? $0.integer(leaf) : -1 } ?? -1,
                enumeration: enumerations.map { place < $0.count ? $0.integer(place) : 0 } ?? 0))
        }
        return columns
    }
}

/// What a column's key says about its type.
///
/// ```
///   bits 0–15 place of the leaf   16–21 type   22–29 attributes: 16 null allowed, 32 list, 64 dictionary, 128 set   30–61 unique number
/// ```
struct RealmColumnType {
    /// Nil for backlinks.
    let kind: RealmColumn.Kind?
    let shape: RealmColumn.Shape
    let isNullable: Bool

    /// - Parameter stated: the type as the table's list of types has it, with the type of a dictionary's keys from bit 16 on.
    init(key: Int64, stated: Int64, at offset: Int) throws(SourceError) {
        let type = key >> 16 & 0x3F, attributes = key >> 22 & 0xFF
        guard key >= 0, stated & 0xFFFF == type else { throw .damaged("a column has two types, \(type) and \(stated & 0xFFFF)", offset) }
        isNullable = attributes & 16 != 0
        let isList = attributes & 32 != 0 || type == 13
        switch (isList, attributes & 64 != 0, attributes & 128 != 0) {
        case (false, false, false): shape = .single
        case (true, false, false): shape = .list
        case (false, true, false): shape = .dictionary
        case (false, false, true): shape = .set
        default: throw .damaged("a column is two kinds of collections", offset)
        }
        // 13: a list of links before format 24; 14: backlinks.
        kind = type == 13 ? .link : RealmColumn.Kind(rawValue: UInt8(type))
        guard kind != nil || type == 14 else { throw .damaged("a column has the type \(type), which does not exist", offset) }
        let keyType = stated >> 16
        if shape == .dictionary, keyType != 2, keyType != 0 {
            throw SourceError(.unsupported, "a dictionary has keys that are no strings", offset: UInt64(clamping: offset))
        }
    }
}

extension RealmNode {
    /// The number at a place of a node with references; nil if it is a reference or 0.
    func tagged(_ place: Int) throws(SourceError) -> Int64? {
        let value = try required(place)
        return value & 1 == 1 ? value >> 1 : nil
    }
}
