/// The effect of deleting an object on the objects it links to. Raw values are stored in the file's schema and never
/// change.
public enum DeleteRule: UInt8, Sendable, CaseIterable {
    /// No effect: they stay.
    case nullify = 0
    /// They are deleted as well.
    case cascade = 1
    /// The object cannot be deleted while it links to any.
    case deny = 2

    /// The rule's name in schemas, messages and on the command line.
    public var name: String {
        switch self {
        case .nullify: "nullify"
        case .cascade: "cascade"
        case .deny: "deny"
        }
    }
}
