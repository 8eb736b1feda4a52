/// Key paths as the names of the properties that they lead over.
enum PropertyNames {
    /// `\Person.friend?.name` as `friend.name`. Tells if it is no path of properties that are kept.
    static func required(_ keyPath: AnyKeyPath) -> String {
        if let names = PathRecorder.names(of: keyPath) { return names.joined(separator: ".") }
        Misuse.report("\(keyPath) leads over something else than properties that are kept, so nothing can be asked about it.")
        return "\(keyPath)"
    }

    /// The property that a key path is; nil if it leads further, or is none.
    static func single(_ keyPath: AnyKeyPath) -> String? {
        guard let names = PathRecorder.names(of: keyPath), names.count == 1 else { return nil }
        return names[0]
    }
}
