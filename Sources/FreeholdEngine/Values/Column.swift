/// A property as readers use it: found once by name, then cheap to pass for every object.
public struct Column: Sendable, Equatable {
    /// The number of the class it belongs to.
    let table: UInt32
    /// The property's number, which is never reused.
    let number: UInt32
    /// Its position among the class's columns, valid while the class has this stamp.
    let place: Int32
    let stamp: UInt64
    /// The type of its values, or of a collection's innermost elements.
    public let type: PropertyType
    /// Whether null is an allowed value.
    public let isNullable: Bool
    /// Whether it is the integer primary key, whose values are the object keys themselves.
    public let isObjectKey: Bool
    /// Whether it holds lists, sets or maps.
    public let isCollection: Bool

    var index: Int { Int(place) }
}
