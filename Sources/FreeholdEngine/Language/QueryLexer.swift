/// Splits a query's text into tokens.
struct QueryLexer {
    let scalars: [Unicode.Scalar]
    private(set) var place = 0

    /// The maximum length of a query's text, in Unicode scalars.
    static let longestText = 1 << 20

    init(_ text: String) throws(FreeholdError) {
        scalars = Array(text.unicodeScalars)
        if scalars.count > Self.longestText {
            throw FreeholdError(.malformedInput, "a query of \(scalars.count) characters is too long; pass long lists as arguments (%@)")
        }
    }

    /// An error, with a column if one is given.
    func error(_ message: String, _ column: Int?) -> FreeholdError {
        guard let column else { return FreeholdError(.malformedInput, "query: \(message)") }
        return FreeholdError(.malformedInput, "query, column \(column): \(message)")
    }

    private func scalar(ahead distance: Int = 0) -> Unicode.Scalar? {
        place + distance < scalars.count ? scalars[place + distance] : nil
    }

    private mutating func take(while isMeant: (Unicode.Scalar) -> Bool) -> String {
        let begin = place
        while let next = scalar(), isMeant(next) { place += 1 }
        return Self.text(of: scalars[begin..<place])
    }

    /// Scalars as a string: mostly they are ASCII, which is not put together one by one.
    private static func text(of scalars: ArraySlice<Unicode.Scalar>) -> String {
        guard scalars.allSatisfy(\.isASCII) else {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return String(unsafeUninitializedCapacity: scalars.count) { bytes in
            for (place, scalar) in scalars.enumerated() { bytes[place] = UInt8(truncatingIfNeeded: scalar.value) }
            return scalars.count
        }
    }

    /// All tokens; the last one is the end.
    static func tokens(_ lexer: inout QueryLexer) throws(FreeholdError) -> [QueryToken] {
        var tokens: [QueryToken] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next() throws(FreeholdError) -> QueryToken {
        while let next = scalar(), Self.isSpace(next) { place += 1 }
        let column = place + 1
        guard let first = scalar() else { return QueryToken(kind: .end, column: column) }
        return QueryToken(kind: try kind(first, column), column: column)
    }

    private mutating func kind(_ first: Unicode.Scalar, _ column: Int) throws(FreeholdError) -> QueryToken.Kind {
        switch first {
        case "'", "\"": return .string(try quoted(first, column))
        case "`":
            return .word(try quoted(first, column), isQuoted: true)
        case "#" where scalar(ahead: 1).map(Self.beginsName) ?? false:
            place += 1
            return .word(take(while: Self.isInName), isQuoted: true)
        case "%": return try placeholder(column)
        case "$": return try variable(column)
        case "@":
            place += 1
            return .word("@" + take(while: Self.isInName), isQuoted: false)
        case "0"..."9": return try numberOrDate(column)
        case "." where scalar(ahead: 1).map(Self.isDigit) ?? false && !followsPath: return .number(number())
        case "+", "-":
            if let date = try signedDate(column) { return date }
            return try symbol(first, column)
        case "T":
            if let date = try secondsLiteral(column) { return .date(date) }
            return name()
        case _ where Self.beginsName(first): return name()
        default: return try symbol(first, column)
        }
    }

    /// Whether the preceding character may end a path whose next part begins with a point.
    private var followsPath: Bool {
        guard place > 0 else { return false }
        let last = scalars[place - 1]
        return Self.isInName(last) || last == "]" || last == "`"
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || ("\t"..."\r").contains(scalar) : scalar.properties.isWhitespace
    }

    static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        // Asking for properties takes longer, and most names have only such letters.
        if scalar.isASCII { return scalar == "_" || isASCIILetter(scalar) }
        return scalar.properties.isAlphabetic || isPictogram(scalar)
    }
    private static func isASCIILetter(_ scalar: Unicode.Scalar) -> Bool { (0x61...0x7A).contains(scalar.value | 0x20) }
    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }

    static func isInName(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || isASCIILetter(scalar) || isDigit(scalar) }
        // U+200D joins pictograms.
        return scalar == "\u{200D}" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil || isPictogram(scalar)
            || [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    /// Whether a character is an emoji or similar, which Swift allows in names.
    private static func isPictogram(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0xFF && ([.otherSymbol].contains(scalar.properties.generalCategory) || scalar.properties.isEmoji || scalar.properties.isEmojiModifier)
    }

    /// A name or keyword. Realm's language escapes whitespace within a name with a backslash; an escaped word is a name
    /// only.
    private mutating func name() -> QueryToken.Kind {
        var name = take(while: Self.isInName), isEscaped = false
        while scalar() == "\\", let letter = scalar(ahead: 1), let blank = Self.blanks[letter] {
            place += 2
            name.unicodeScalars.append(blank)
            name += take(while: Self.isInName)
            isEscaped = true
        }
        return .word(name, isQuoted: isEscaped)
    }

    private static let blanks: [Unicode.Scalar: Unicode.Scalar] = [" ": " ", "n": "\n", "r": "\r", "t": "\t"]

    // MARK: symbols

    private static func symbol(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> String? {
        switch (first, second) {
        case ("=", "="): "=="
        case ("!", "="): "!="
        case ("<", ">"): "<>"
        case ("<", "="): "<="
        case ("=", "<"): "=<"
        case (">", "="): ">="
        case ("=", ">"): "=>"
        case ("&", "&"): "&&"
        case ("|", "|"): "||"
        default: nil
        }
    }

    private mutating func symbol(_ first: Unicode.Scalar, _ column: Int) throws(FreeholdError) -> QueryToken.Kind {
        if let second = scalar(ahead: 1), let symbol = Self.symbol(first, second) {
            place += 2
            return .symbol(symbol)
        }
        switch first {
        case "=", "<", ">", "!", "(", ")", "{", "}", "[", "]", ",", ".", "+", "-", "*", "/", ":":
            place += 1
            return .symbol(String(Character(first)))
        default: throw error("unexpected '\(first)'", column)
        }
    }

    private mutating func placeholder(_ column: Int) throws(FreeholdError) -> QueryToken.Kind {
        place += 1
        let letters = scalar() == "@" ? "@" : take { ("a"..."z").contains($0) || ("A"..."Z").contains($0) }
        if letters == "@" { place += 1 }
        switch letters {
        case "K": return .nextArgument(isPath: true)
        case "@", "d", "i", "u", "f", "g", "e", "s", "ld", "li", "lu", "lld", "lf", "llu", "D", "U": return .nextArgument(isPath: false)
        default: throw error("'%\(letters)' is not a placeholder; write %@ for a value, %K for a property", column)
        }
    }

    private mutating func variable(_ column: Int) throws(FreeholdError) -> QueryToken.Kind {
        place += 1
        let name = take(while: Self.isInName)
        if name.isEmpty { throw error("'$' must be followed by a name or number", column) }
        if name.unicodeScalars.allSatisfy(Self.isDigit) {
            guard let number = Int(name) else { throw error("argument number '$\(name)' is too large", column) }
            return .argument(number, isPath: false)
        }
        if name.first == "K", let number = Int(name.dropFirst()) { return .argument(number, isPath: true) }
        return .variable(name)
    }

    // MARK: numbers and dates

    /// A number as written, except that digits always follow its point: `12`, `1.5`, `5.` as `5.0`, `1e-3`, `0xff`, and
    /// `1.5f` for a float.
    private mutating func number() -> String {
        if scalar() == "0", scalar(ahead: 1) == "x" || scalar(ahead: 1) == "X", scalar(ahead: 2).map(Self.isHexadecimal) ?? false {
            place += 2
            return "0x" + take(while: Self.isHexadecimal)
        }
        var text = take(while: Self.isDigit)
        if scalar() == ".", isPointOfNumber {
            place += 1
            let fraction = take(while: Self.isDigit)
            text += "." + (fraction.isEmpty ? "0" : fraction)
        }
        if let sign = exponentSign() {
            text += "e" + (sign == 1 ? String(scalars[place + 1]) : "")
            place += 1 + sign
            text += take(while: Self.isDigit)
        }
        if scalar() == "f", !(scalar(ahead: 1).map(Self.isInName) ?? false) {
            place += 1
            text += "f"
        }
        return text
    }

    private static func isHexadecimal(_ scalar: Unicode.Scalar) -> Bool { scalar.isASCII && scalar.properties.isASCIIHexDigit }

    /// Whether the point here ends or continues a number and does not lead to a name.
    private var isPointOfNumber: Bool {
        guard let next = scalar(ahead: 1) else { return true }
        return exponentSign(ahead: 1) != nil || !Self.beginsName(next) && !["@", "`", "#"].contains(next)
    }

    /// The number of signs, 0 or 1, of the exponent that begins here; nil if none begins.
    private func exponentSign(ahead distance: Int = 0) -> Int? {
        guard scalar(ahead: distance) == "e" || scalar(ahead: distance) == "E" else { return nil }
        let sign = scalar(ahead: distance + 1) == "-" || scalar(ahead: distance + 1) == "+" ? 1 : 0
        return scalar(ahead: distance + 1 + sign).map(Self.isDigit) ?? false ? sign : nil
    }

    /// A date whose year has a sign; nil if none begins here.
    private mutating func signedDate(_ column: Int) throws(FreeholdError) -> QueryToken.Kind? {
        guard let date = DateLiteral.day(scalars[place...]) else { return nil }
        place += date.length
        guard let time = date.value else { throw error("invalid date; write -0044-03-15T00:00:00Z", column) }
        return .date(time)
    }

    private mutating func numberOrDate(_ column: Int) throws(FreeholdError) -> QueryToken.Kind {
        let begin = place
        if let date = DateLiteral.day(scalars[place...]) {
            place += date.length
            guard let time = date.value else { throw error("invalid date; write 2024-05-01 or 2024-05-01T09:30:00Z", column) }
            return .date(time)
        }
        place = begin
        let text = number()
        // No name begins like this, but an id without quotes may.
        if let next = scalar(), Self.beginsName(next) { return .word(text + take(while: Self.isInName), isQuoted: false) }
        return .number(text)
    }

    /// `T12:34`: seconds and nanoseconds since 1970.
    private mutating func secondsLiteral(_ column: Int) throws(FreeholdError) -> Timestamp? {
        let begin = place
        place += 1
        let sign = scalar() == "-" ? "-" : ""
        if !sign.isEmpty { place += 1 }
        let seconds = take(while: Self.isDigit)
        guard !seconds.isEmpty, scalar() == ":" else {
            place = begin
            return nil
        }
        place += 1
        let nanoseconds = take(while: Self.isDigit)
        guard let whole = Int64(sign + seconds), let part = Int32(nanoseconds), part < 1_000_000_000 else {
            throw error("invalid timestamp; write T and seconds since 1970, a colon, and nanoseconds", column)
        }
        return Timestamp(seconds: whole, nanoseconds: part)
    }

    // MARK: texts

    private mutating func quoted(_ mark: Unicode.Scalar, _ column: Int) throws(FreeholdError) -> String {
        place += 1
        var text = String.UnicodeScalarView()
        while let next = scalar() {
            place += 1
            if next == mark { return String(text) }
            guard next == "\\" else {
                text.append(next)
                continue
            }
            // An escaped star or question mark keeps its backslash, so that LIKE sees it.
            if let mark = scalar(), mark == "*" || mark == "?" { text.append("\\") }
            text.append(try escaped())
        }
        throw error("the string that begins here is not closed; close it with \(mark)", column)
    }

    private mutating func escaped() throws(FreeholdError) -> Unicode.Scalar {
        guard let next = scalar() else { throw error("nothing follows the backslash", place) }
        place += 1
        switch next {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "0": return "\0"
        case "u":
            var digits = 0, code: UInt32 = 0
            let isBraced = scalar() == "{"
            if isBraced { place += 1 }
            while digits < (isBraced ? 6 : 4), let digit = scalar().flatMap({ Character($0).hexDigitValue }) {
                code = code << 4 | UInt32(digit)
                digits += 1
                place += 1
            }
            if isBraced, scalar() == "}" { place += 1 }
            guard digits > 0, let scalar = Unicode.Scalar(code) else { throw error("\\u must be followed by a character code, like \\u{e9}", place) }
            return scalar
        default: return next
        }
    }
}
