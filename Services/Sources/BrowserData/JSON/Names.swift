extension String {
    /// Whether two names are the same: by their bytes, as in files.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Sequence<String> {
    /// Whether a name is among these.
    func has(_ name: String) -> Bool { contains { $0.isSame(as: name) } }
}
