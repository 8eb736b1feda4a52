/// The names of an object's values, in order. Objects of one reader with equal names nearly always share one shape, so
/// that what depends on the names is worked out once (compare with `===`, then by `names`).
public final class RecordShape: Sendable {
    /// The names, in the order of the text; a careless text may repeat one.
    public let names: [String]

    /// Where `$class` stands among the names; nil for most shapes.
    let classPlace: Int?

    /// A shape of its own.
    public init(_ names: [String]) {
        self.names = names
        classPlace = names.lastIndex(of: ImportedObject.classMember)
    }
}
