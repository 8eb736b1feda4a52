import FreeholdEngine

/// A leaf of mixed values.
///
/// ```
///   [what, numbers, pairs, strings, references, keys of nested collections]
///   what   bits 0–4 type + 1, 0 for null   5–7 where the value lies   8–… the value, or its place in that array
/// ```
/// The arrays are there from the first value on that needs them; the last two only from format 24 on.
struct RealmMixed {
    private enum Part {
        static let numbers = 1, pairs = 2, strings = 3, references = 4
    }

    let what: RealmNode
    private let numbers, pairs, references: RealmNode?
    private let strings: RealmTexts?
    private let pages: RealmPages

    var count: Int { what.count }

    init(_ pages: RealmPages, at reference: Int64) throws(SourceError) {
        self.pages = pages
        let top = try pages.references(reference)
        func part(_ place: Int) -> Int64? { top.count > place && top.integer(place) != 0 ? top.integer(place) : nil }
        what = try pages.integers(top.required(0))
        numbers = try part(Part.numbers).map { reference throws(SourceError) in try pages.integers(reference) }
        pairs = try part(Part.pairs).map { reference throws(SourceError) in try pages.integers(reference) }
        references = try part(Part.references).map { reference throws(SourceError) in try pages.integers(reference) }
        strings = try part(Part.strings).map { reference throws(SourceError) in try RealmTexts(pages, at: reference, isText: true) }
        let counts = [numbers?.count ?? 0, (pairs?.count ?? 0) / 2, strings?.count ?? 0, references?.count ?? 0]
        guard counts.allSatisfy({ $0 <= what.count }) else {
            throw .damaged("a leaf of mixed values has more of them than places", top.reference)
        }
    }

    /// The value at a place less than `count`.
    func item(_ place: Int) throws(SourceError) -> RealmItem {
        let what = what.integer(place)
        if what == 0 { return .value(.null) }
        let rest = what >> 8
        switch (what & 31) - 1 {
        case 0: return .value(.int(what >> 5 & 7 == 0 ? rest : try element(numbers, rest)))
        case 1: return .value(.bool(rest != 0))
        case 2: return try text(rest, isText: true)
        case 4: return try text(rest, isText: false)
        case 8:
            let (seconds, nanoseconds) = try pair(rest)
            return .value(.date(try .realm(seconds, nanoseconds, at: self.what.reference)))
        case 9: return .value(.float(Float(bitPattern: UInt32(truncatingIfNeeded: try element(numbers, rest)))))
        case 10: return .value(.double(Double(bitPattern: UInt64(bitPattern: try element(numbers, rest)))))
        case 11:
            let (low, high) = try pair(rest)
            return .value(RealmDecimals.decimal(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high)).map(Value.decimal) ?? .null)
        case 12: return .link(try element(numbers, rest))
        case 15, 17: return try identifier(rest, isUUID: what & 31 == 18)
        case 16:
            let (table, key) = try pair(rest)
            return .typedLink(table: table & 0x7FFF_FFFF, key: key)
        case 19: return .list(try element(references, rest))
        case 21: return .dictionary(try element(references, rest))
        case let type: throw .damaged("a mixed value has the type \(type)", self.what.reference)
        }
    }

    private func element(_ node: RealmNode?, _ place: Int64) throws(SourceError) -> Int64 {
        guard let node, place >= 0, place < Int64(node.count) else { throw .damaged("a mixed value is missing", what.reference) }
        return node.integer(Int(place))
    }

    private func pair(_ place: Int64) throws(SourceError) -> (Int64, Int64) {
        let (start, isTooLarge) = place.multipliedReportingOverflow(by: 2)
        guard !isTooLarge, start < .max else { throw .damaged("a mixed value is missing", what.reference) }
        return (try element(pairs, start), try element(pairs, start + 1))
    }

    private func text(_ place: Int64, isText: Bool) throws(SourceError) -> RealmItem {
        guard let strings, place >= 0, place < Int64(strings.count) else { throw .damaged("a mixed value is missing", what.reference) }
        let found = try strings.place(Int(place))
        if case .null = found { return .value(.null) }
        return try pages.item(found, isText: isText)
    }

    private func identifier(_ place: Int64, isUUID: Bool) throws(SourceError) -> RealmItem {
        guard case .value(.data(let bytes)) = try text(place, isText: false), bytes.count == (isUUID ? 16 : 12) else {
            throw .damaged("an identifier has another length", what.reference)
        }
        let high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
        return .value(isUUID ? .uuid(UniqueIdentifier(high: high, low: low))
            : .objectId(ObjectIdentifier12(high: high, low: UInt32(truncatingIfNeeded: low))))
    }
}
