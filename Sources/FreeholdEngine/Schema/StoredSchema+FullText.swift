/// Full-text indexes in a schema, by the names that programs use.
///
/// ```
/// options of a field    weight · 256 u16; none for a weight of 1
/// options of the index  none; with a language: flags u8, 0 · stemmer u8, 1 for Snowball's · name of its algorithm
/// ```
extension StoredSchema {
    /// The full-text indexes that a class itself declares.
    func fullText(ofClass number: Int) -> [StoredDerived] {
        let stored = classes[table(of: number)], owner = Int(stored.number) == number ? nil : UInt32(number)
        return stored.derived.filter { $0.isFullText && $0.owner == owner }
    }

    /// The full-text indexes that a class itself declares, as programs declare them.
    func fullTextIndexes(ofClass number: Int) -> [FullTextIndex] { fullText(ofClass: number).map { declaration(of: $0, in: number) } }

    /// A full-text index of a class, as programs declare it.
    func declaration(of index: StoredDerived, in number: Int) -> FullTextIndex {
        FullTextIndex(index.fields.map { field in
            FullTextField(path(of: field, in: number), weight: Double(field.fullTextWeight ?? 256) / 256)
        }, language: index.fullTextOptions?.language)
    }

    /// The names of a field: of a property, or of a link and a property.
    func path(of field: DerivedField, in number: Int) -> String {
        let own = classes[table(of: number)], link = field.link.map { own.propertyName(numbered: $0) + "." } ?? ""
        return link + classes[Int(field.table)].propertyName(numbered: field.property)
    }

    /// This schema with the weights of a full-text index as they are declared.
    func weighting(_ index: StoredDerived, of number: Int, as wanted: FullTextIndex) throws(FreeholdError) -> StoredSchema {
        var fields = index.fields
        for place in fields.indices {
            let path = path(of: fields[place], in: number)
            guard let declared = wanted.fields.first(where: { $0.path.isSame(as: path) }) else { continue }
            fields[place].options = try DerivedSchema.Field(declared).options
        }
        let changed = StoredDerived(number: index.number, kind: index.kind, flags: index.flags, owner: index.owner, fields: fields,
                                    options: index.options)
        var all = classes
        let old = classes[table(of: number)]
        all[Int(old.number)] = old.with(derived: old.derived.map { $0.number == index.number ? changed : $0 })
        return StoredSchema(all, version: version)
    }
}

extension StoredDerived {
    /// The number of the kind.
    static let fullTextKind: UInt8 = 1

    /// Whether it is a full-text index of which this program knows all options.
    var isFullText: Bool { fullTextOptions != nil }

    /// The options of a full-text index; nil if it is none, or has options that this program does not know.
    var fullTextOptions: FullTextIndexOptions? {
        kind == Self.fullTextKind && flags == 0 ? FullTextIndexOptions(bytes: options) : nil
    }
}

/// What a full-text index has been declared with, beside its fields.
struct FullTextIndexOptions: Equatable {
    /// The algorithm that makes stems of words; nil for words as they are.
    var language: String?

    private static let snowball: UInt8 = 1, longest = 32

    init(language: String?) { self.language = language }

    /// Nil for options that this program does not know.
    init?(bytes: [UInt8]) {
        if bytes.isEmpty { return }
        guard bytes.count > 2, bytes.count <= 2 + Self.longest, bytes[0] == 0, bytes[1] == Self.snowball,
              bytes[2...].allSatisfy({ $0 >= 0x61 && $0 <= 0x7A || $0 == 0x5F || $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        language = String(decoding: bytes[2...], as: UTF8.self)
    }

    var bytes: [UInt8] { language.map { [0, Self.snowball] + Array($0.utf8) } ?? [] }
}

extension DerivedField {
    /// The weight of a field of a full-text index times 256; nil if its options are none of this kind.
    var fullTextWeight: UInt16? {
        switch options.count {
        case 0: 256
        case 2: UInt16(options[0]) | UInt16(options[1]) << 8
        default: nil
        }
    }
}

extension DerivedSchema.Field {
    /// The field as a full-text index has it.
    ///
    /// - Throws: `.invalidArgument` for a path that is neither a property nor a link and a property, and for weights out of range.
    init(_ field: FullTextField) throws(FreeholdError) {
        let names = field.path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(names.count), !names.contains(where: \.isEmpty) else {
            throw FreeholdError(.invalidArgument, "'\(field.path)' is no field of a full-text index: write a property, or a link, a "
                + "dot and a property")
        }
        guard field.weight >= 1 / 256, field.weight <= 255 else {
            throw FreeholdError(.invalidArgument, "the weight of '\(field.path)' is \(field.weight); a field counts from 1/256 to 255")
        }
        let weight = (field.weight * 256).rounded()
        let options = weight == 256 ? [] : [UInt8(Int(weight) & 255), UInt8(Int(weight) >> 8)]
        self.init(link: names.count == 2 ? names[0] : nil, property: names[names.count - 1], options: options)
    }
}

extension StoredClass {
    fileprivate func propertyName(numbered number: UInt32) -> String { column(numbered: number).map { properties[$0].name } ?? "" }
}
