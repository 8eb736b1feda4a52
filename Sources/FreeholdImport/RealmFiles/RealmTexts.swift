/// Strings or data of a leaf, in any of the forms that Realm stores them in.
///
/// ```
///   small        blocks of a width; the last byte of a block counts the zeros before it, and is the width itself for null
///   medium       [ends of the values, one blob of all of them, which of them are null]
///   big          one reference a value, 0 for null, to a blob; a blob of more than 16 MB is a list of blobs
///   enumerated   positions in an array of the distinct values, in one of the forms above
/// ```
/// Strings have a zero at their end in the second and the third form, data has none.
struct RealmTexts {
    /// How the values lie.
    indirect enum Form {
        case small(RealmNode)
        case medium(ends: RealmNode, blob: Range<Int>, nulls: RealmNode?)
        case big(RealmNode)
        case enumerated(RealmNode, of: RealmTexts)
    }

    /// Where one value is.
    enum Place {
        case null
        case memory(RealmSpan)
        case file(Range<Int>)
        case parts([Range<Int>])

        /// The number of its bytes.
        var count: Int {
            switch self {
            case .null: 0
            case .memory(let span): span.count
            case .file(let range): range.count
            case .parts(let ranges): ranges.reduce(0) { $0 + $1.count }
            }
        }
    }

    let form: Form
    let count: Int
    let pages: RealmPages
    /// Where the leaf begins in the file.
    let reference: Int
    /// Whether values have a zero at their end.
    let isTerminated: Bool

    /// - Parameters:
    ///   - enumeration: the distinct values of the column; nil if it is not enumerated.
    init(_ pages: RealmPages, at reference: Int64, isText: Bool, enumeration: RealmTexts? = nil) throws(SourceError) {
        self.pages = pages
        isTerminated = isText
        let node = try pages.node(reference)
        self.reference = node.reference
        guard !node.isInner else { throw .damaged("a leaf of strings is an inner node", node.reference) }
        if node.hasReferences {
            guard node.form == .bits else { throw .damaged("an array of references has another form", node.reference) }
            if node.isContext {
                form = .big(node)
                count = node.count
            } else {
                let ends = try pages.integers(node.required(0)), nulls = node.count > 2 ? try pages.integers(node.required(2)) : nil
                form = .medium(ends: ends, blob: try pages.blob(node.required(1)), nulls: nulls)
                count = ends.count
            }
        } else if isText, node.form == .bytes {
            form = .small(node)
            count = node.count
        } else if isText, node.form == .bits, let enumeration {
            form = .enumerated(node, of: enumeration)
            count = node.count
        } else {
            throw .damaged("a leaf of strings or data has none of their forms", node.reference)
        }
    }

    /// Where a value is; the place is less than `count`.
    func place(_ place: Int) throws(SourceError) -> Place {
        switch form {
        case .small(let node): return try small(node, place)
        case .medium(let ends, let blob, let nulls):
            if let nulls, try nulls.required(place) != 0 { return .null }
            let start = place == 0 ? 0 : ends.integer(place - 1), end = ends.integer(place)
            guard start >= 0, start <= end, end <= Int64(blob.count) else {
                throw .damaged("the ends of values do not ascend", ends.reference)
            }
            return .file(try trimmed(blob.lowerBound + Int(start)..<blob.lowerBound + Int(end)))
        case .big(let node):
            let reference = node.integer(place)
            return reference == 0 ? .null : try big(reference)
        case .enumerated(let node, let values):
            let position = node.integer(place)
            guard position >= 0, position < Int64(values.count) else {
                throw .damaged("an enumerated string does not exist", node.reference)
            }
            return try values.place(Int(position))
        }
    }

    /// The number of bytes that values take in memory, at most, without those that are long.
    func byteCount(_ places: Range<Int>) throws(SourceError) -> Int {
        switch form {
        case .small(let node): return node.width * places.count
        case .medium(let ends, let blob, _) where places.count == ends.count && blob.count <= SourceLimits.shortBytes: return blob.count
        default:
            var sum = 0
            for place in places {
                let count = try self.place(place).count
                sum += count > SourceLimits.shortBytes ? 0 : count
            }
            return sum
        }
    }

    private func small(_ node: RealmNode, _ place: Int) throws(SourceError) -> Place {
        if node.width == 0 { return .null }
        let end = (place + 1) * node.width - 1
        let zeros = Int(node.elements.load(end, as: UInt8.self))
        if zeros == node.width { return .null }
        guard zeros < node.width else { throw .damaged("a short string is longer than its place", node.reference) }
        return .memory(node.elements.part(place * node.width..<end - zeros))
    }

    private func big(_ reference: Int64) throws(SourceError) -> Place {
        let header = try pages.header(reference)
        guard header.flags & 0x20 != 0 else { return .file(try trimmed(pages.blob(reference))) }
        let parts = try pages.references(reference)
        var ranges: [Range<Int>] = []
        for part in 0..<parts.count { ranges.append(try pages.blob(parts.integer(part))) }
        if let last = ranges.last, isTerminated { ranges[ranges.count - 1] = try trimmed(last) }
        return .parts(ranges)
    }

    private func trimmed(_ range: Range<Int>) throws(SourceError) -> Range<Int> {
        guard isTerminated else { return range }
        guard !range.isEmpty, try pages.span(at: range.upperBound - 1, count: 1).load(0, as: UInt8.self) == 0 else {
            throw .damaged("a string does not end with a zero", range.upperBound)
        }
        return range.lowerBound..<range.upperBound - 1
    }
}

extension RealmPages {
    /// The range in the file of the bytes of a blob.
    func blob(_ reference: Int64) throws(SourceError) -> Range<Int> {
        let header = try header(reference), start = Int(reference) + RealmNode.headerBytes
        guard header.flags & 0xF8 == RealmNode.Form.plain.rawValue << 3 else { throw .damaged("a blob has another form", Int(reference)) }
        guard header.count <= count - start else { throw .damaged("a blob of \(header.count) bytes ends after the file", Int(reference)) }
        return start..<start + header.count
    }

    /// The bytes of a value of at most `longestSpan`; nil if it is null.
    func bytes(_ place: RealmTexts.Place) throws(SourceError) -> [UInt8]? {
        switch place {
        case .null: return nil
        case .memory(let span): return span.withBytes { Array($0) }
        case .file(let range): return try span(at: range.lowerBound, count: range.count).withBytes { Array($0) }
        case .parts(let ranges):
            var bytes: [UInt8] = []
            for range in ranges { try span(at: range.lowerBound, count: range.count).append(to: &bytes) }
            return bytes
        }
    }

    /// The string at a place; nil if it is null.
    /// - Throws: `.damaged` if it is not UTF-8, or longer than a name may be.
    func string(_ texts: RealmTexts, _ place: Int) throws(SourceError) -> String? {
        let found = try texts.place(place)
        guard found.count <= SourceLimits.shortBytes else { throw .damaged("a name has \(found.count) bytes", found.offset) }
        guard let bytes = try bytes(found) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .damaged("a string is not UTF-8", found.offset) }
        return text
    }
}

extension RealmTexts.Place {
    /// Where the value begins in the file, for messages; 0 if it is unknown.
    var offset: Int {
        switch self {
        case .null, .memory: 0
        case .file(let range): range.lowerBound
        case .parts(let ranges): ranges.first?.lowerBound ?? 0
        }
    }
}
