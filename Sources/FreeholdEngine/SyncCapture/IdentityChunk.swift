/// The bytes of a part of a list's identities, as they stand in a key of tree 62,004.
///
/// ```
/// for each run:  varint   elements · 2, and 1 more if they were moved
///                varint   zigzag of: identity of the first element - what would go on with the run before it (0 for the first run)
///                varint   zigzag of: identity of its position - its own; only if they were moved
/// ```
/// A run that goes on with the one before it, of elements typed one behind the other, is no new run, so a list takes a few bytes for
/// each place where something was inserted, moved or removed.
///
/// Safe throughout: what follows an identity, and differences of two, wrap at 64 bits and come back the same way.
enum IdentityChunk {
    /// A part is divided when it has more bytes than this.
    static let maximumBytes = 512
    /// A part that has been changed and has fewer bytes is joined with the one beside it.
    static let smallBytes = 128

    /// Appends a run; `expected` is the identity that goes on with the run before, and is set to the one that goes on with this.
    static func append(_ run: IdentityRun, _ expected: inout UInt64, to bytes: inout [UInt8]) {
        let isMoved = run.position != run.first
        append(UInt64(run.count) << 1 | (isMoved ? 1 : 0), to: &bytes)
        append(zigzag(run.first.rawValue, less: expected), to: &bytes)
        if isMoved { append(zigzag(run.position.rawValue, less: run.first.rawValue), to: &bytes) }
        expected = run.last.rawValue &+ 1
    }

    /// Appends the first run of a part, of elements that were not moved.
    static func append(_ run: IdentityRun, to key: ByteBuffer) {
        assert(run.position == run.first, "elements of a new list were moved")
        key.append(varint: UInt64(run.count) << 1)
        key.append(varint: zigzag(run.first.rawValue, less: 0))
    }

    /// The runs in these bytes; nil for bytes that no writer produces.
    static func runs(_ bytes: ArraySlice<UInt8>) -> [IdentityRun]? {
        var runs: [IdentityRun] = [], place = bytes.startIndex, expected: UInt64 = 0
        func varint() -> UInt64? {
            var value: UInt64 = 0, shift: UInt64 = 0
            while place < bytes.endIndex, shift < 64 {
                let byte = bytes[place]
                place += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            return nil
        }
        while place < bytes.endIndex {
            guard let head = varint(), let difference = varint(), head >> 1 > 0, head >> 1 <= SyncIdentity.maximumCount else { return nil }
            let first = sum(expected, difference)
            var position = first
            if head & 1 != 0 {
                guard let distance = varint(), distance != 0 else { return nil }
                position = sum(first, distance)
            }
            let run = IdentityRun(first: SyncIdentity(rawValue: first), position: SyncIdentity(rawValue: position), count: Int(head >> 1))
            guard run.isPossible else { return nil }
            runs.append(run)
            expected = run.last.rawValue &+ 1
        }
        return runs.isEmpty ? nil : runs
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func zigzag(_ value: UInt64, less other: UInt64) -> UInt64 {
        let difference = Int64(bitPattern: value &- other)
        return UInt64(bitPattern: difference << 1 ^ difference >> 63)
    }

    private static func sum(_ value: UInt64, _ zigzag: UInt64) -> UInt64 {
        value &+ (zigzag >> 1 ^ (zigzag & 1 == 0 ? 0 : .max))
    }
}
