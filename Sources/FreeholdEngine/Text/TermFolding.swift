/// Case and diacritic folding, and composition, of what becomes a term: as `FoldedText`, for one version of Unicode.
///
/// `FoldedText` folds by the standard library, whose version differs between the programs that share a file. For the
/// scalars of Unicode 15.0.0 both give the same bytes (tested), so `[c]` and `TEXT` agree on them. One exception is known:
/// U+1171E, a mark of the script Ahom, has another category in later versions.
enum TermFolding {
    /// The UTF-8 of the string without what the options ignore.
    static func bytes(_ text: UnsafeRawBufferPointer, _ options: TextOptions) -> [UInt8] {
        if options.isEmpty { return Array(text) }
        let lowersASCII = options.contains(.caseInsensitive)
        if text.allSatisfy({ $0 < 0x80 }) { return lowersASCII ? text.map(FoldedText.lowered) : Array(text) }
        return FoldedScalars.ofTerms(options).fold(text, lowersASCII: lowersASCII) { others in
            bytes(String(decoding: others, as: UTF8.self), options)
        }
    }

    /// The UTF-8 of the string without what the options ignore, scalar by scalar.
    static func bytes(_ text: String, _ options: TextOptions) -> [UInt8] {
        var folder = ScalarFolder(options)
        folder.folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { folder.add(scalar.value) }
        return folder.end()
    }

    /// The string composed (NFC).
    static func composed(_ text: String) -> String {
        let properties = ScalarProperties.shared
        var scalars: [UInt32] = []
        for scalar in text.unicodeScalars { properties.forEachDecomposed(scalar.value) { scalars.append($0) } }
        order(&scalars)
        compose(&scalars)
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars.compactMap(Unicode.Scalar.init))
        return String(view)
    }

    /// Brings scalars with combining classes into the ascending order of these, between those without.
    private static func order(_ scalars: inout [UInt32]) {
        let classes = scalars.map(ScalarProperties.shared.combiningClass)
        var start = 0
        while start < scalars.count {
            var end = start + 1
            while end < scalars.count, classes[end] != 0 { end += 1 }
            let first = classes[start] == 0 ? start + 1 : start
            let places = (first..<end).sorted { (classes[$0], $0) < (classes[$1], $1) }
            scalars.replaceSubrange(first..<end, with: places.map { scalars[$0] })
            start = end
        }
    }

    /// Composes each scalar with the last one before it without a combining class, unless something blocks it.
    private static func compose(_ scalars: inout [UInt32]) {
        let properties = ScalarProperties.shared
        var kept: [UInt32] = [], starter: Int?, lastClass: UInt8 = 0
        for scalar in scalars {
            let combiningClass = properties.combiningClass(scalar)
            let isAdjacent = starter == kept.count - 1
            if let place = starter, isAdjacent || lastClass < combiningClass, let composed = properties.composed(kept[place], scalar) {
                kept[place] = composed
                continue
            }
            if combiningClass == 0 { starter = kept.count }
            lastClass = combiningClass
            kept.append(scalar)
        }
        scalars = kept
    }
}

/// Folds scalars one after the other.
///
/// Without diacritics a string is decomposed, and marks go. What is left of the scalars with combining classes keeps the
/// canonical order: those that are no nonspacing marks wait in `waiting` for the next scalar without a class.
private struct ScalarFolder {
    private let lowers: Bool
    private let keepsMarks: Bool
    private let properties = ScalarProperties.shared
    private var waiting: [(combiningClass: UInt8, scalar: UInt32)] = []
    var folded: [UInt8] = []

    init(_ options: TextOptions) {
        lowers = options.contains(.caseInsensitive)
        keepsMarks = !options.contains(.diacriticInsensitive)
    }

    mutating func add(_ scalar: UInt32) {
        if keepsMarks { return write(scalar) }
        properties.forEachDecomposed(scalar) { place($0) }
    }

    private mutating func place(_ scalar: UInt32) {
        let combiningClass = scalar < 0x300 ? 0 : properties.combiningClass(scalar), isMark = properties.isNonspacingMark(scalar)
        if combiningClass == 0 {
            writeWaiting()
            if !isMark { write(scalar) }
        } else if !isMark {
            let place = waiting.lastIndex { $0.combiningClass <= combiningClass } ?? -1
            waiting.insert((combiningClass, scalar), at: place + 1)
        }
    }

    private mutating func writeWaiting() {
        for (_, scalar) in waiting { write(scalar) }
        waiting.removeAll()
    }

    private mutating func write(_ scalar: UInt32) {
        guard lowers else { return append(scalar) }
        // The lower case of a letter may have a mark of its own (İ).
        properties.forEachFolded(scalar) { if keepsMarks || !properties.isNonspacingMark($0) { append($0) } }
    }

    private mutating func append(_ scalar: UInt32) {
        if let scalar = Unicode.Scalar(scalar) { folded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }
    }

    mutating func end() -> [UInt8] {
        writeWaiting()
        return folded
    }
}
