/// Key paths as the names of the properties that they lead over.
enum PropertyNames {
    /// `\Person.friend?.name` as `friend.name`, `\Person.dogs[0].name` as `dogs.name`. Reports misuse if it is no path of properties that are
    /// kept.
    static func required(_ keyPath: AnyKeyPath) -> String {
        if let names = PathRecorder.names(of: keyPath, allowingElements: true) { return names.joined(separator: ".") }
        Misuse.report("\(keyPath) leads over something else than properties that are kept, so nothing can be asked about it.",
                      hint: "Name properties (\\Person.name), those of links (\\Person.friend?.name) and of elements (\\Person.dogs[0].name), or write the names as text: \"dogs.name\".")
        return "\(keyPath)"
    }

    /// The property that a key path is; nil if it leads further, or is none.
    static func single(_ keyPath: AnyKeyPath) -> String? {
        guard let names = PathRecorder.names(of: keyPath), names.count == 1 else { return nil }
        return names[0]
    }
}
