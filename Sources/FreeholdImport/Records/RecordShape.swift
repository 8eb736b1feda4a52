/// The names of an object's values, in order. Objects of one reader with equal names nearly always share one shape, so
/// results that depend on the names are computed once (compare with `===`, then by `names`).
public final class RecordShape: Sendable {
    /// The names, in the order of the text; malformed text may repeat a name.
    public let names: [String]

    /// The position of `$class` among the names; nil for most shapes.
    let classPlace: Int?

    /// Creates a separate shape.
    public init(_ names: [String]) {
        self.names = names
        classPlace = names.lastIndex(of: ImportedObject.classMember)
    }
}
