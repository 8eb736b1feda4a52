/// The kind of collection that a property holds instead of one value. Raw values are stored in the file's schema and
/// never change.
public enum CollectionKind: UInt8, Sendable, CaseIterable {
    /// A list: elements in an order of their own; duplicates are allowed.
    case list = 1
    /// A set: distinct elements, in the order of their values.
    case set = 2
    /// A map: elements with a string key each.
    case map = 3

    /// The kind's name in schemas, messages and on the command line.
    public var name: String {
        switch self {
        case .list: "list"
        case .set: "set"
        case .map: "map"
        }
    }
}
