extension String {
    /// The string as messages show it: all of a short one, and the beginning of one that is longer than names are.
    var abridged: String {
        let most = 48
        guard let end = index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex else { return self }
        return prefix(most) + "…"
    }
}
