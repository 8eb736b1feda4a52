/// Converts key paths into names of properties.
enum PropertyNames {
    /// The names of a key path: `\Person.friend?.name` as `friend.name`, `\Person.dogs[0].name` as `dogs.name`. Reports
    /// misuse if it is not a path of stored properties.
    static func required(_ keyPath: AnyKeyPath) -> String {
        if let names = PathRecorder.names(of: keyPath, allowingElements: true) { return names.joined(separator: ".") }
        Misuse.report("\(keyPath) includes a member that is not a persisted property, so it cannot be used in a query.",
                      hint: "Use properties (\\Person.name), properties of links (\\Person.friend?.name) and of elements (\\Person.dogs[0].name), or write the names as a string: \"dogs.name\".")
        return "\(keyPath)"
    }

    /// The property of a key path; nil if the path has further steps, or is not a property.
    static func single(_ keyPath: AnyKeyPath) -> String? {
        guard let names = PathRecorder.names(of: keyPath), names.count == 1 else { return nil }
        return names[0]
    }
}
