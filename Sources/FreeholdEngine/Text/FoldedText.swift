@_spi(_Unicode) import Swift

/// Case and diacritic folding of strings for comparison. It covers all of Unicode: `ß` is `ss`, `Σ` is `ς`, `é` is `e`.
enum FoldedText {
    /// The UTF-8 of the string without what the options ignore.
    static func bytes(_ text: UnsafeRawBufferPointer, _ options: TextOptions) -> [UInt8] {
        if options.isEmpty { return Array(text) }
        if text.allSatisfy({ $0 < 0x80 }) { return options.contains(.caseInsensitive) ? text.map(lowered) : Array(text) }
        return FoldedScalars.of(options).fold(text, lowersASCII: options.contains(.caseInsensitive)) { others in
            bytes(String(decoding: others, as: UTF8.self), options)
        }
    }

    /// The UTF-8 of the string without what the options ignore, by the properties of the standard library alone.
    static func bytes(_ text: String, _ options: TextOptions) -> [UInt8] {
        // Bytes, since appending a sequence to scalars of a string takes time proportional to the string.
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        let keepsMarks = !options.contains(.diacriticInsensitive)
        func append(_ scalar: Unicode.Scalar) {
            guard options.contains(.caseInsensitive) else { return folded.append(contentsOf: String(scalar).utf8) }
            // Lower case, upper case and lower case again, so that letters with several lower cases (σ, ς) or upper
            // cases (ß) become one.
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    // The lower case of a letter may have a mark of its own (İ).
                    for last in upper.properties.lowercaseMapping.unicodeScalars where keepsMarks || !isMark(last) {
                        folded.append(contentsOf: String(last).utf8)
                    }
                }
            }
        }
        if keepsMarks {
            for scalar in text.unicodeScalars { append(scalar) }
        } else {
            for scalar in text._nfd where !isMark(scalar) { append(scalar) }
        }
        return folded
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .nonspacingMark }

    @inline(__always) static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
