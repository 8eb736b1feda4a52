import FreeholdEngine

/// A table of the pairs of a many-to-many relationship: `Z_26ASSETS`, of the entity 26 and its relationship ASSETS.
///
/// ```
/// Z_26ASSETS ( Z_26ALBUMS, Z_34ASSETS, Z_FOK_34ASSETS )      keys of albums (26), keys of assets (34), order of the assets
/// Z_1FRIENDS ( Z_1FRIENDS, REFLEXIVE )                       a relationship that is its own inverse
/// ```
///
/// A column has the number of the entity whose keys it holds, and the name of the relationship that leads to them.
struct JoinTable {
    /// A column of keys.
    struct Column {
        let column: Int
        let name: NumberedName
        /// The column with the order of these keys.
        let order: Int?
    }

    let table: Int
    let name: NumberedName
    let columns: [Column]
    /// The column of a relationship that is its own inverse.
    let reflexive: Int?

    /// What the table's name says, without the number that tells it from others of the same name.
    struct Key: Hashable {
        let number: Int64
        let stem: ExactText
    }

    var key: Key { Key(number: name.number, stem: ExactText(Self.baseName(String(name.name)))) }

    /// A name without a number at its end.
    static func baseName(_ name: String) -> String {
        String(name.reversed().drop { $0.isASCII && $0.isNumber }.reversed())
    }

    /// The tables of many-to-many relationships among some.
    static func all(_ tables: [SQLiteTable]) -> [JoinTable] {
        tables.enumerated().compactMap { place, table in
            guard let name = NumberedName(table.name, prefix: "Z_"), !name.name.isEmpty else { return nil }
            let columns = table.columns.enumerated().compactMap { column, stored in
                NumberedName(stored.name, prefix: "Z_").map { name in
                    Column(
                        column: column, name: name,
                        order: table.position(of: "Z_FOK_\(stored.name.dropFirst(2))") ?? table.position(of: "Z_FOK_\(name.name)"))
                }
            }
            let reflexive = table.position(of: "REFLEXIVE")
            guard columns.count + (reflexive == nil ? 0 : 1) == 2 else { return nil }
            return JoinTable(table: place, name: name, columns: columns, reflexive: reflexive)
        }
    }

    /// The rows of a relationship; nil if the table is not that of the relationship.
    /// - Parameters:
    ///   - source: the numbers of the entities that the relationship may lead from.
    ///   - inverse: the name of the relationship back, if there is one.
    func rows(of relationship: String, from source: Set<Int64>, to destination: Set<Int64>, inverse: String?, ordered: Bool) -> LinkRows? {
        let wanted = relationship.uppercased()
        let back = inverse?.uppercased()
        let isNamed = source.contains(name.number) && name.isNamed(wanted)
        guard isNamed || destination.contains(name.number) && back.map(name.isNamed) ?? false else { return nil }
        if let reflexive, let column = columns.first {
            return LinkRows(
                table: table, owner: .column(reflexive), target: .column(column.column), order: ordered ? column.order : nil,
                isSymmetric: true)
        }
        let fitting = columns.filter { $0.name.isNamed(wanted) && destination.contains($0.name.number) }
        guard let target = fitting.count == 1 ? fitting.first : fitting.first(where: { !source.contains($0.name.number) }),
            let owner = columns.first(where: { $0.column != target.column }), source.contains(owner.name.number)
        else { return nil }
        return LinkRows(table: table, owner: .column(owner.column), target: .column(target.column), order: ordered ? target.order : nil)
    }

    /// The rows of a relationship by the names of the columns alone; nil if they are not those of the relationship and the one
    /// back.
    func rows(of relationship: String, inverse: String, ordered: Bool) -> LinkRows? {
        let wanted = relationship.uppercased()
        let back = inverse.uppercased()
        guard reflexive == nil, !wanted.isSame(as: back), name.isNamed(wanted) || name.isNamed(back),
            let target = columns.first(where: { $0.name.isNamed(wanted) }), let owner = columns.first(where: { $0.name.isNamed(back) }),
            owner.column != target.column
        else { return nil }
        return LinkRows(table: table, owner: .column(owner.column), target: .column(target.column), order: ordered ? target.order : nil)
    }
}
