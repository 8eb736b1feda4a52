/// What adding an object does where the realm has one with its primary key.
public enum UpdatePolicy: Int, Sendable {
    /// Refuses.
    case error = 1
    /// Sets the properties that differ.
    case modified = 3
    /// Sets every property.
    case all = 2
}
