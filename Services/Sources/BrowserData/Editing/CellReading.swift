import FreeholdEngine

/// Creates the cells that a conflict is found and shown with. They have to be those that the grid was given.
public struct CellReading: Sendable {
    /// The cell of a property of an object.
    public let property: @Sendable (any ObjectSource, Table, Row, Column, PropertySchema) throws -> JSON
    /// The cell of an element of a collection. The property is the collection's, without the collections around the
    /// element.
    public let element: @Sendable (any ObjectSource, Value, PropertySchema) throws -> JSON

    public init(
        property: @escaping @Sendable (any ObjectSource, Table, Row, Column, PropertySchema) throws -> JSON,
        element: @escaping @Sendable (any ObjectSource, Value, PropertySchema) throws -> JSON
    ) {
        self.property = property
        self.element = element
    }

    /// Whether a cell that the grid showed stands for the same value as the present one. A link's label may have
    /// changed meanwhile.
    static func isSame(_ was: JSON, _ now: JSON) -> Bool { withoutLabels(was) == withoutLabels(now) }

    private static func withoutLabels(_ cell: JSON) -> JSON {
        switch cell {
        case .array(let elements): return .array(elements.map(withoutLabels))
        case .object(let members):
            for kind in ["link", "embedded"] where members.count == 1 && members[0].name.isSame(as: kind) {
                guard let target = members[0].value.members else { return cell }
                return .object([JSON.Member(kind, .object(target.filter { !$0.name.isSame(as: "label") }))])
            }
            return .object(members.map { JSON.Member($0.name, withoutLabels($0.value)) })
        default: return cell
        }
    }
}
