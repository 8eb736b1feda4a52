/// What adding an object does if the realm has one with its primary key.
public enum UpdatePolicy: Int, Sendable {
    /// The add is refused.
    case error = 1
    /// The properties that differ are set.
    case modified = 3
    /// All properties are set.
    case all = 2
}
