/// What a property holds instead of one value. Raw values stand in the file's schema and never change.
public enum CollectionKind: UInt8, Sendable, CaseIterable {
    /// Elements in an order of their own, repeated as often as wanted.
    case list = 1
    /// Different elements, in the order of their values.
    case set = 2
    /// Elements by a string each.
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
