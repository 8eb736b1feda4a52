import FreeholdEngine

/// Gives names of a file identifiers of a programming language, each once in its scope.
struct Identifiers {
    private var taken: Set<ExactText>
    /// Whether letters beyond ASCII are kept.
    private let keepsLetters: Bool

    /// - Parameter reserved: identifiers that mean something else in the scope.
    init(reserved: [String], keepsLetters: Bool = false) {
        taken = Set(exact: reserved)
        self.keepsLetters = keepsLetters
    }

    /// An identifier for a name: the name itself, if it is one and free, or a similar one.
    ///
    /// - Parameter related: further identifiers that the declaration of one takes.
    mutating func take(_ name: String, related: (String) -> [String] = { _ in [] }) -> String {
        var identifier = Self.identifier(name, keepsLetters: keepsLetters)
        func names(_ identifier: String) -> [String] { [identifier] + related(identifier) }
        if names(identifier).contains(where: taken.contains) {
            if !identifier.hasSuffix("_") { identifier += "_" }
            let stem = identifier
            var number = 2
            while names(identifier).contains(where: taken.contains) {
                identifier = "\(stem)\(number)"
                number += 1
            }
        }
        for name in names(identifier) { taken.insert(name) }
        return identifier
    }

    /// The name with an underscore for each character that identifiers do not have.
    static func identifier(_ name: String, keepsLetters: Bool) -> String {
        var text = ""
        for scalar in name.unicodeScalars { text.unicodeScalars.append(isPart(scalar, keepsLetters) ? scalar : "_") }
        guard let first = text.unicodeScalars.first, !text.utf8.allSatisfy({ $0 == UInt8(ascii: "_") }) else { return "unnamed" }
        return isDigit(first) ? "_" + text : text
    }

    /// Whether a name is an identifier as it stands.
    static func isIdentifier(_ name: String) -> Bool { identifier(name, keepsLetters: true).isSame(as: name) }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isPart(_ scalar: Unicode.Scalar, _ keepsLetters: Bool) -> Bool {
        scalar.isASCII ? isDigit(scalar) || scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            : keepsLetters && isLetter(scalar)
    }

    /// Whether a scalar beyond ASCII is a letter that all languages accept in identifiers, and that no normalization
    /// changes: of Latin, Greek, Cyrillic, Chinese, Japanese and Korean.
    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xD7, 0xF7, 0x132...0x133, 0x13F...0x140, 0x149, 0x17F: false
        case 0xC0...0x1C3, 0x391...0x3A1, 0x3A3...0x3A9, 0x3B1...0x3C9, 0x410...0x44F, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FEF,
             0xAC00...0xD7A3: true
        default: false
        }
    }
}
