/// The classes and properties that a message names by number: numbers differ from file to file, names do not.
public struct SyncNames: Hashable, Sendable {
    /// A class and its properties; those of embedded objects have dotted names.
    public struct Entry: Hashable, Sendable {
        /// The name of the class.
        public var name: String
        /// The names of its properties; their places are their numbers.
        public var properties: [String]

        public init(name: String, properties: [String]) {
            self.name = name
            self.properties = properties
        }
    }

    /// The name of the property with the class of an object that is of a subclass; no property of a class has it.
    public static let subclass = ":class"

    /// The classes; their places are their numbers.
    public var classes: [Entry]

    public init(classes: [Entry] = []) { self.classes = classes }

    /// How many properties a class has; nil if there is no such class.
    func propertyCount(of type: Int32) -> Int? {
        classes.indices.contains(Int(type)) ? classes[Int(type)].properties.count : nil
    }
}
