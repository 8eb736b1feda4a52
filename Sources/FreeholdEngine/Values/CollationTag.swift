/// One spelling for the language tags that ask for the same order of strings.
enum CollationTag {
    /// The tag with its options in the order of their names, without the value `true`, and with the usual capitals:
    /// `DE-u-kn-true-co-phonebk` is `de-u-co-phonebk-kn`.
    ///
    /// Only spellings are made one: `de` and `de-DE`, or an option that a language has by default, stay different tags.
    /// What has other characters than letters, digits and hyphens is no tag, and stays as it is.
    static func normal(_ tag: String) -> String {
        guard tag.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D }) else { return tag }
        let parts = tag.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        let start = parts.dropFirst().firstIndex { $0.utf8.count == 1 } ?? parts.count
        var normal = parts[..<start].enumerated().map { place, part in place == 0 ? part : spelled(part) }
        var options: [(name: String, values: [String])] = []
        for part in parts.dropFirst(start + 1) {
            if part.utf8.count == 2 || options.isEmpty { options.append((part, [])) } else {
                options[options.count - 1].values.append(part)
            }
        }
        if start < parts.count { normal.append(parts[start]) }
        for option in options.sorted(by: { $0.name < $1.name }) {
            normal.append(option.name)
            if option.values != ["true"] { normal += option.values }
        }
        return normal.joined(separator: "-")
    }

    /// A script or a region as it is usually written.
    private static func spelled(_ part: String) -> String {
        switch part.utf8.count {
        case 2: part.uppercased()
        case 4 where part.utf8.first.map { $0 > 0x39 } ?? false: part.prefix(1).uppercased() + part.dropFirst()
        default: part
        }
    }
}
