/// A property as readers use it: found once by name, then cheap to pass for every object.
public struct Column: Sendable, Equatable {
    /// The class it belongs to, by number.
    let table: UInt32
    /// The property's number, which is its own for ever.
    let number: UInt32
    /// Its place among the class's columns, while the class has this stamp.
    let place: Int32
    let stamp: UInt64
    /// The type of its values, or of a collection's innermost elements.
    public let type: PropertyType
    /// Whether null is one of its values.
    public let isNullable: Bool
    /// Whether it is the integer primary key, whose values are the object keys themselves.
    public let isObjectKey: Bool
    /// Whether it holds lists, sets or maps.
    public let isCollection: Bool

    var index: Int { Int(place) }
}
