/// The progress of a check of a database.
public struct CheckProgress: Sendable, Equatable {
    /// What is being checked: `blocks`, a class, or a class and property with a point between.
    public let place: String
    /// How much of it has been checked: granules of blocks, objects, or entries of an index.
    public let done: Int
    /// How much of it there is.
    public let total: Int
}
