import Platform

/// Which ICU a simulated process has.
public enum SimulatedCollation: Sendable, Hashable {
    /// That of the real machine.
    case installed
    /// None.
    case absent
    /// One of this major version that exists only in tests: any tag gives the same simple order, odd versions reverse it. An index
    /// that one of them has made and the other reads gives answers that are plainly wrong.
    case invented(Int)
}

/// An order of strings that needs no ICU, the same on every machine: letters, then case; umlauts are with their letters.
final class InventedCollator: Collator {
    let version: UInt64
    private let isReversed: Bool
    private let hasCase: Bool

    init(_ tag: String, version: Int) {
        self.version = UInt64(version) << 56
        isReversed = version % 2 == 1
        hasCase = !tag.contains("level1")
    }

    private static let letters: [Unicode.Scalar: Unicode.Scalar] = ["ä": "a", "ö": "o", "ü": "u", "é": "e"]

    private func key(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var key: [UInt8] = [], marks: [UInt8] = []
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            let number = scalar.value
            if number < 128 {
                let isUpper = number > 0x40 && number < 0x5B
                key.append(UInt8(isUpper ? number + 0x20 : number) + 2)
                marks.append(isUpper ? 3 : 2)
            } else { append(scalar, to: &key, &marks) }
        }
        if hasCase { key += [1] + marks }
        return isReversed ? key.map { ~$0 } + [255] : key
    }

    private func append(_ scalar: Unicode.Scalar, to key: inout [UInt8], _ marks: inout [UInt8]) {
        let small = Character(scalar).lowercased().unicodeScalars.first ?? scalar, letter = Self.letters[small] ?? small
        let number = letter.value
        key += number < 128 ? [UInt8(number) + 2] : [130 + UInt8(number >> 14), 2 + UInt8(number >> 7 & 127), 2 + UInt8(number & 127)]
        marks.append((letter == small ? 2 : 4) + (small == scalar ? 0 : 1))
    }

    func writeSortKey(of text: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer) -> Int? {
        let key = key(text)
        if key.count < room.count { room.copyBytes(from: key) }
        return key.count
    }
}
