@_spi(_Unicode) import Swift

/// Case and diacritic folding of strings for comparison. It covers all of Unicode: `ß` is `ss`, `Σ` is `ς`, `é` is `e`.
enum FoldedText {
    /// The UTF-8 of the string without what the options ignore.
    static func bytes(_ text: UnsafeRawBufferPointer, _ options: TextOptions) -> [UInt8] {
        if options.isEmpty { return Array(text) }
        if text.allSatisfy({ $0 < 0x80 }) { return options.contains(.caseInsensitive) ? text.map(lowered) : Array(text) }
        let table = FoldedScalars.of(options)
        return table.fold(text, lowersASCII: options.contains(.caseInsensitive)) ?? bytes(String(decoding: text, as: UTF8.self), options)
    }

    static func bytes(_ text: String, _ options: TextOptions) -> [UInt8] {
        var folded = String.UnicodeScalarView()
        func append(_ scalar: Unicode.Scalar) {
            guard options.contains(.caseInsensitive) else { return folded.append(scalar) }
            // Lower case, upper case and lower case again, so that letters with several lower cases (σ, ς) or upper
            // cases (ß) become one.
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars { folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars) }
            }
        }
        if options.contains(.diacriticInsensitive) {
            for scalar in text._nfd where scalar.properties.generalCategory != .nonspacingMark { append(scalar) }
            // The lower case of a letter may have a mark of its own (İ).
            if options.contains(.caseInsensitive) { folded.removeAll { $0.properties.generalCategory == .nonspacingMark } }
        } else {
            for scalar in text.unicodeScalars { append(scalar) }
        }
        return Array(String(folded).utf8)
    }

    @inline(__always) static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
