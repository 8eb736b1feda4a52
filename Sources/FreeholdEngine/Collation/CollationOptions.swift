/// The options in a collation's language tag, which follow `-u-`.
///
/// ICU passes over what it does not understand and takes the first of options that contradict each other, so they are checked
/// here. The language, the orders of `co` and the scripts of `kr` are known to ICU alone.
enum CollationOptions {
    /// What is wrong with the options of a tag, as the end of a sentence; nil if nothing is.
    static func mistake(in tag: String) -> String? {
        let parts = tag.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let start = parts.dropFirst().firstIndex(where: { $0.utf8.count == 1 }) else { return nil }
        if parts[start] != "u" { return "has the extension '-\(parts[start])-', which is none of a collation; options follow '-u-'" }
        var option: String?, values: [String] = [], seen: Set<String> = []
        for part in parts[(start + 1)...] {
            guard part.utf8.count <= 2 else {
                guard option != nil else { return "has '\(part.abridged)' where an option is expected; there are \(names)" }
                values.append(part)
                continue
            }
            if let option, let mistake = mistake(in: values, of: option) { return mistake }
            if part.utf8.count < 2 { return "has '\(part)' among its options; there are \(names)" }
            if self.values[part] == nil { return "has the option '\(part)', which a collation does not have; there are \(names)" }
            if !seen.insert(part).inserted { return "has the option '\(part)' twice; leave one of them out" }
            (option, values) = (part, [])
        }
        return option.flatMap { mistake(in: values, of: $0) }
    }

    /// Whether a tag orders scripts.
    static func hasScripts(_ tag: String) -> Bool { tag.lowercased().split(separator: "-").contains("kr") }

    /// The names of all options.
    static var names: String { values.keys.sorted().joined(separator: ", ") + " (docs/collation.md)" }

    /// The values of each option; an empty one stands for none, an empty list for any.
    private static let values: [String: [String]] = [
        "co": [], "ka": ["shifted", "noignore"], "kb": flags, "kc": flags, "kf": ["upper", "lower", "false"], "kk": flags, "kn": flags,
        "kr": [], "ks": ["level1", "level2", "level3", "level4", "identic"],
    ]
    private static let flags = ["", "true", "false"]

    private static func mistake(in given: [String], of option: String) -> String? {
        let known = values[option] ?? [], value = given.joined(separator: "-")
        if known.isEmpty {
            let example = option == "kr" ? "kr-grek-latn" : "co-phonebk"
            if value.isEmpty { return "has the option '\(option)' without a value, which it needs, as in \(example)" }
            guard option == "kr", value == "zzzz" else { return nil }
            return "has the value 'zzzz' of 'kr', which stands for the scripts beside those that are named; name some"
        }
        if known.contains(value) { return nil }
        let meant = known.filter { !$0.isEmpty }.joined(separator: ", ")
        if value.isEmpty { return "has the option '\(option)' without a value; it takes one of \(meant)" }
        return "has the value '\(value.abridged)' of '\(option)', which takes one of \(meant)"
    }
}
