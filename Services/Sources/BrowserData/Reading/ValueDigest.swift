import FreeholdEngine
import FreeholdImport

/// A number that stands for the whole of a value of which a cell shows a part: whoever edits the value sends it back, so that a
/// change by another program behind what was shown is a conflict, too.
///
/// Not cryptographic: it tells honest programs apart. Two different values have the same one by a chance of 2⁻⁶⁴.
struct ValueDigest {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    var text: String {
        var mixed = state
        // Safe: overflow only mixes.
        mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return String(mixed ^ mixed >> 33, radix: 36)
    }

    mutating func add(_ word: UInt64) {
        // Safe: overflow only mixes.
        state = ((state ^ word) &* 0x9FB2_1C65_1E98_DF25)
        state = state << 29 | state >> 35
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place + 8 <= bytes.count {
                add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            var last: UInt64 = 0
            while place < bytes.count {
                last = last << 8 | UInt64(bytes[place])
                place += 1
            }
            add(last)
        }
        add(UInt64(bytes.count))
    }

    /// A value with everything in it; a link is its target, not what the target holds.
    mutating func add(_ value: Value) {
        switch value {
        case .list(let values), .set(let values):
            add(UInt64(values.count) << 8 | 1)
            for value in values { add(value) }
        case .map(let entries):
            add(UInt64(entries.count) << 8 | 2)
            for (key, value) in entries.sortedByKey {
                add(Array(key.utf8))
                add(value)
            }
        case .data(let bytes): add(bytes)
        case .string(let text): add(Array(text.utf8))
        default:
            add(UInt64(value.type?.rawValue ?? 0))
            add(Array(ValueText.format(value).utf8))
        }
    }

    /// A string or data property, in pieces.
    mutating func add(_ row: Row, _ column: Column, _ count: Int) throws {
        let piece = 256 << 10
        for start in stride(from: 0, to: count, by: piece) { add(try row.read(column, start..<min(start + piece, count))) }
    }

    /// A collection, in pieces.
    mutating func add(_ view: CollectionView) throws {
        let piece = 512
        for start in stride(from: 0, to: view.count, by: piece) {
            let range = start..<min(start + piece, view.count)
            for (place, value) in zip(range, try view.values(in: range)) {
                if case .map(let map) = view { add(Array(try map.key(at: place).utf8)) }
                add(value)
            }
        }
        add(UInt64(view.count))
    }
}
