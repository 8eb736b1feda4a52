/// The root in the file: references and the body of a derived root from `start` on.
///
/// ```
/// references   0 the lengths (or null); the output of each merge (or null); the runs, the newest first
/// body    24   u8       fields
///         25   u8       merges under way
///         26   u8       runs
///         27   u8 × 5   0
///         32   fields × (u64 documents, u64 words)
///          …   for each merge: u8 its first input, u8 their number, u16 length k of the key, u32 0,
///              then the position: i64 object key, k bytes key, zeros up to a multiple of 8
/// ```
/// All numbers are little-endian. A merge that has read nothing has k = 0 and object key 0; else the key has no sign.
extension TextIndexRoot {
    /// Where the kind's part of a derived root begins.
    static let start = 24

    /// The references in the order of the file.
    var references: [BlockReference] { [lengths] + merges.map(\.output) + runs }

    /// The bytes of the body from `start` on.
    var bytes: [UInt8] {
        var bytes = [UInt8(fields.count), UInt8(merges.count), UInt8(runs.count), 0, 0, 0, 0, 0]
        for field in fields {
            bytes.append(UInt64(field.documents))
            bytes.append(UInt64(field.words))
        }
        for merge in merges {
            let key = merge.position?.key(cancels: false) ?? []
            bytes += [UInt8(merge.inputs.lowerBound), UInt8(merge.inputs.count), UInt8(key.count), 0, 0, 0, 0, 0]
            bytes.append(UInt64(bitPattern: merge.position?.object ?? 0))
            bytes += key
            bytes += [UInt8](repeating: 0, count: -key.count & 7)
        }
        return bytes
    }

    /// Reads a root; every field is checked, since the bytes come from a file.
    init(references: [BlockReference], bytes: [UInt8]) throws(FreeholdError) {
        var reader = RootReader(bytes: bytes)
        let fields = try reader.byte(), merges = try reader.byte(), runs = try reader.byte()
        guard (1...EntryTag.fieldLimit).contains(fields) else { throw Self.damaged("\(fields) fields, of at most \(EntryTag.fieldLimit)") }
        guard merges <= Self.maximumMerges else { throw Self.damaged("\(merges) merges, of at most \(Self.maximumMerges)") }
        try reader.requireZeros(5)
        guard references.count == 1 + merges + runs else {
            throw Self.damaged("\(references.count) references for \(runs) runs and \(merges) merges")
        }
        self.init(fields: fields)
        lengths = references[0]
        self.runs = Array(references[(1 + merges)...])
        guard !self.runs.contains(where: \.isNull) else { throw Self.damaged("a run that is missing") }
        let trees = references.filter { !$0.isNull }.map(\.location)
        guard Set(trees).count == trees.count else { throw Self.damaged("a tree that it has twice") }
        for field in 0..<fields { self.fields[field] = try reader.sums(field, hasLengths: !lengths.isNull) }
        for number in 0..<merges {
            self.merges.append(try reader.merge(number, after: self.merges.last, runs: runs, references[1 + number]))
        }
        guard reader.isAtEnd else { throw Self.damaged("\(reader.left) bytes beyond its merges") }
        guard treeCount <= Self.maximumTrees else { throw Self.damaged("\(treeCount) runs and outputs, of at most \(Self.maximumTrees)") }
    }

    /// The error for a run whose entries are out of order.
    static func damagedRun() -> FreeholdError {
        FreeholdError(.corrupt, "a run of a full-text index is out of order; run `freehold check`, and rebuild the index")
    }

    static func damaged(_ what: String) -> FreeholdError {
        FreeholdError(.corrupt, "the root of a full-text index has \(what); run `freehold check`, and rebuild the index")
    }
}

/// Reads the bytes of a root.
private struct RootReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var left: Int { bytes.count - place }
    var isAtEnd: Bool { left == 0 }

    mutating func take(_ count: Int) throws(FreeholdError) -> ArraySlice<UInt8> {
        guard count <= left else { throw TextIndexRoot.damaged("\(bytes.count) bytes, which end too early") }
        place += count
        return bytes[place - count..<place]
    }

    mutating func number(_ count: Int) throws(FreeholdError) -> UInt64 { try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    mutating func byte() throws(FreeholdError) -> Int { Int(try number(1)) }

    mutating func requireZeros(_ count: Int) throws(FreeholdError) {
        guard try take(count).allSatisfy({ $0 == 0 }) else {
            throw TextIndexRoot.damaged("bytes that this version of Freehold does not know")
        }
    }

    mutating func sums(_ field: Int, hasLengths: Bool) throws(FreeholdError) -> TextFieldSums {
        let documents = try number(8), words = try number(8)
        guard documents <= words, words <= 1 << 62, (documents == 0) == (words == 0), documents == 0 || hasLengths else {
            throw TextIndexRoot.damaged("\(documents) documents with \(words) words in field \(field)")
        }
        return TextFieldSums(documents: Int(documents), words: Int(words))
    }

    mutating func merge(_ number: Int, after last: TextMerge?, runs: Int, _ output: BlockReference) throws(FreeholdError) -> TextMerge {
        let first = try byte(), count = try byte(), length = Int(try self.number(2))
        try requireZeros(4)
        guard count > 1, first + count <= runs, first >= last?.inputs.upperBound ?? 0 else {
            throw TextIndexRoot.damaged("a merge \(number) of \(count) runs from \(first) on, of \(runs)")
        }
        guard length <= EntryKey.longest else { throw TextIndexRoot.damaged("a merge \(number) at a key of \(length) bytes") }
        let object = Int64(bitPattern: try self.number(8)), key = Array(try take(length))
        try requireZeros(-length & 7)
        let position = length == 0 ? nil : try Self.position(key, object, number)
        guard position != nil || object == 0 && output.isNull else {
            throw TextIndexRoot.damaged("a merge \(number) with an output and no position")
        }
        return TextMerge(inputs: first..<first + count, output: output, position: position)
    }

    private static func position(_ key: [UInt8], _ object: Int64, _ number: Int) throws(FreeholdError) -> MergePosition {
        // Safe: the pointer is used within the call.
        let parts = key.withUnsafeBytes { EntryKey.parts(IndexKey($0)) }
        guard let parts, !parts.tag.cancels, !key[..<parts.termLength].contains(0) else {
            throw TextIndexRoot.damaged("a merge \(number) at a key that is none of an entry")
        }
        return MergePosition(term: Array(key[..<parts.termLength]), tag: parts.tag, object: object)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: UInt64) {
        for byte in 0..<8 { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))) }
    }
}
