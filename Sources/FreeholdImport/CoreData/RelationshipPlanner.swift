import FreeholdEngine

/// Decides whether a relationship becomes a property, and finds its rows.
///
/// Core Data stores most pairs of relationships once; of a pair, Freehold stores one side, and the other is what links
/// back to it. The side that stays is, in this order:
///
/// 1. the ordered one (both, if both are ordered: as two lists that do not know of each other),
/// 2. the one whose objects are deleted along, or forbid deletion,
/// 3. the one that leads to a single object,
/// 4. the one that is not optional,
/// 5. that of the entity with the lower number, and of one entity the one whose name comes first.
struct RelationshipPlanner {
    private let layout: StoreLayout
    private let place: Int
    private let property: ManagedProperty
    private let relationship: ManagedRelationship
    private(set) var remarks: [SourceRemark] = []

    init(_ layout: StoreLayout, _ place: Int, _ property: ManagedProperty, _ relationship: ManagedRelationship) {
        (self.layout, self.place, self.property, self.relationship) = (layout, place, property, relationship)
    }

    /// Where its values are; nil if it is not stored, which is in `remarks`.
    mutating func source() -> StoredProperty.Source? {
        guard let target = layout.place(of: relationship.destination) else {
            remark(.lost, "the store has no objects of the entity '\(relationship.destination)' that this relationship leads to")
            return nil
        }
        let inverse = self.inverse(in: target)
        if let inverse, !inverse.isSame(place, property.name) {
            guard isKept(over: inverse) else {
                reportDropped(inverse)
                return nil
            }
            if inverse.relationship.isOrdered, inverse.relationship.isToMany {
                remark(.converted, "both sides of the relationship are ordered and stay, as two lists that do not change together")
            }
        }
        guard let source = rows(to: target, inverse) else {
            remark(.lost, "the store has no column or table for this relationship")
            return nil
        }
        if relationship.deleteRule == .noAction { remark(.converted, "the delete rule 'no action' becomes 'nullify'") }
        return source
    }

    /// The relationship back.
    private struct Inverse {
        let place: Int
        let property: ManagedProperty
        let relationship: ManagedRelationship

        func isSame(_ other: Int, _ name: String) -> Bool { place == other && property.name.isSame(as: name) }
    }

    private func inverse(in target: Int) -> Inverse? {
        guard let name = relationship.inverse else { return nil }
        for current in layout.lineage(target) {
            guard let property = layout.model[layout.entities[current].name]?[name] else { continue }
            guard case .relationship(let back) = property.kind, !property.isTransient else { return nil }
            return Inverse(place: current, property: property, relationship: back)
        }
        return nil
    }

    private func isKept(over inverse: Inverse) -> Bool {
        let mine = Self.merits(property, relationship)
        let other = Self.merits(inverse.property, inverse.relationship)
        if mine[0] && other[0] { return true }
        for (one, two) in zip(mine, other) where one != two { return one }
        let numbers = (layout.entities[place].number, layout.entities[inverse.place].number)
        return numbers.0 != numbers.1 ? numbers.0 < numbers.1 : property.name.precedes(inverse.property.name)
    }

    private static func merits(_ property: ManagedProperty, _ relationship: ManagedRelationship) -> [Bool] {
        [
            relationship.isOrdered && relationship.isToMany, relationship.deleteRule.kept != .nullify, !relationship.isToMany,
            !property.isOptional,
        ]
    }

    private mutating func reportDropped(_ inverse: Inverse) {
        let kept = "\(layout.entities[inverse.place].name).\(inverse.property.name)"
        remark(.converted, "is the inverse of '\(kept)', where the relationship is stored; these objects are found by what links here")
        if relationship.deleteRule.kept != .nullify {
            remark(.lost, "the delete rule '\(relationship.deleteRule.kept.name)' goes, as the relationship is stored as '\(kept)'")
        }
    }

    private func rows(to target: Int, _ inverse: Inverse?) -> StoredProperty.Source? {
        let ordered = relationship.isOrdered
        guard relationship.isToMany else {
            if let column = layout.column(of: property.name, in: place) { return .link(column: column, target: target) }
            // A single object at both ends: the other end has the key.
            guard let inverse, !inverse.relationship.isToMany else { return nil }
            return columnRows(inverse).map { .links($0, target: target, isOrdered: false) }
        }
        if let inverse, !inverse.relationship.isToMany {
            return columnRows(inverse).map { .links($0, target: target, isOrdered: ordered) }
        }
        let found = joinRows(to: target, inverse) ?? (inverse == nil ? ownColumnRows(in: target) : nil)
        return found.map { .links($0, target: target, isOrdered: ordered) }
    }

    /// Rows of the destination with the key of the owner in the column of the relationship back.
    private func columnRows(_ inverse: Inverse) -> LinkRows? {
        guard let column = layout.column(of: inverse.property.name, in: inverse.place) else { return nil }
        let table = layout.entities[inverse.place].table
        let stored = layout.tables[table].columns[column].name
        let order = layout.tables[table].position(of: "Z_FOK_\(stored.dropFirst())")
        return LinkRows(table: table, owner: .column(column), target: .rowid, order: relationship.isOrdered ? order : nil)
    }

    /// Rows of the destination with the key of the owner in a column of its own: `Z4TRANSCRIPTS`, of the entity 4.
    private func ownColumnRows(in target: Int) -> LinkRows? {
        let table = layout.entities[target].table
        let stored = layout.tables[table]
        let name = "\(layout.entities[place].number)\(property.name.uppercased())"
        guard let column = stored.position(of: "Z\(name)") else { return nil }
        return LinkRows(
            table: table, owner: .column(column), target: .rowid, order: relationship.isOrdered ? stored.position(of: "Z_FOK_\(name)") : nil
        )
    }

    private func joinRows(to target: Int, _ inverse: Inverse?) -> LinkRows? {
        let source = family(place)
        let destination = family(target)
        var joins = layout.joins(of: property.name, from: source)
        if let inverse { joins += layout.joins(of: inverse.property.name, from: destination) }
        for join in joins {
            let rows = join.rows(
                of: property.name, from: source, to: destination, inverse: inverse?.property.name, ordered: relationship.isOrdered)
            if let rows { return rows }
        }
        return inverse.flatMap { joinRowsByName($0.property.name) }
    }

    /// The rows of the only table whose columns have the names of both sides, whatever their numbers.
    private func joinRowsByName(_ inverse: String) -> LinkRows? {
        let joins = layout.joins(of: property.name) + layout.joins(of: inverse)
        var found: LinkRows?
        for join in joins {
            guard let rows = join.rows(of: property.name, inverse: inverse, ordered: relationship.isOrdered) else { continue }
            if let found, found != rows { return nil }
            found = rows
        }
        return found
    }

    /// The numbers of an entity and its parents: any of them may stand in the name of a table or column.
    private func family(_ place: Int) -> Set<Int64> { Set(layout.lineage(place).map { layout.entities[$0].number }) }

    private mutating func remark(_ kind: SourceRemark.Kind, _ text: String) {
        remarks.append(SourceRemark(kind, "\(layout.entities[place].name).\(property.name)", text))
    }
}
