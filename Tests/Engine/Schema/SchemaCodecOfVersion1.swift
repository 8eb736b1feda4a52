@testable import FreeholdEngine

/// The decoder of schemas as version 1 of the format had it, frozen: older programs read what newer ones write with
/// this code. It is not to follow changes of `SchemaCodec`.
enum SchemaCodecOfVersion1 {
    static func decode(_ bytes: [UInt8]) throws(FreeholdError) -> StoredSchema {
        var reader = ReaderOfVersion1(bytes: bytes)
        let format = try reader.integer()
        guard format <= 1 else {
            throw FreeholdError(.unsupportedFormat, "the schema has a newer format; open the file with a newer Freehold")
        }
        let version = format == 0 ? nil : UInt64(try reader.integer()) | UInt64(try reader.integer()) << 32
        let count = try reader.integer()
        var classes: [StoredClass] = []
        for number in 0..<count {
            classes.append(try storedClass(number, &reader, classes: count))
        }
        // A name identifies one class.
        let present = classes.filter { !$0.isDropped }
        guard Set<ExactText>(exact: present.map(\.name)).count == present.count else { throw ReaderOfVersion1.damaged }
        let schema = StoredSchema(classes, version: version)
        guard schema.complaint() == nil else { throw ReaderOfVersion1.damaged }
        return schema
    }

    private static func storedClass(_ number: UInt32, _ reader: inout ReaderOfVersion1,
                                    classes: UInt32) throws(FreeholdError) -> StoredClass {
        let name = try reader.text()
        let flags = try reader.flags(below: 2)
        // A class is created after the one it extends.
        let superclass = try reader.integer()
        guard superclass <= number else { throw ReaderOfVersion1.damaged }
        let nextProperty = try reader.integer(), nextIndex = try reader.integer()
        let keys = try reader.places()
        var properties: [StoredProperty] = [], indexes: [StoredIndex] = []
        for _ in 0..<(try reader.integer()) { properties.append(try property(&reader, classes: classes)) }
        for _ in 0..<(try reader.integer()) {
            let number = try reader.integer(), flags = try reader.flags(below: 2), owner = try reader.integer()
            indexes.append(StoredIndex(number: number, columns: try reader.places(), isUnique: flags != 0,
                                       owner: owner == 0 ? nil : owner - 1))
        }
        guard (keys + indexes.flatMap(\.columns)).allSatisfy({ $0 < properties.count }) else { throw ReaderOfVersion1.damaged }
        return StoredClass(number: number, name: name, properties: properties, primaryKeys: keys,
                           superclass: superclass == 0 ? nil : superclass - 1, isEmbedded: flags != 0, indexes: indexes,
                           nextPropertyNumber: nextProperty, nextIndexNumber: nextIndex)
    }

    private static func property(_ reader: inout ReaderOfVersion1, classes: UInt32) throws(FreeholdError) -> StoredProperty {
        let number = try reader.integer()
        let name = try reader.text()
        guard let type = PropertyType(rawValue: try reader.byte()) else { throw ReaderOfVersion1.damaged }
        let flags = try reader.flags(below: 16)
        let target = try reader.integer(), owner = try reader.integer()
        guard let rule = DeleteRule(rawValue: try reader.byte()), target <= classes else { throw ReaderOfVersion1.damaged }
        var collections: [CollectionKind] = []
        for _ in 0..<(try reader.byte()) {
            guard let kind = CollectionKind(rawValue: try reader.byte()) else { throw ReaderOfVersion1.damaged }
            collections.append(kind)
        }
        return StoredProperty(number: number, name: name, type: type, isNullable: flags & 1 != 0,
                              isIndexed: flags & 2 != 0, isUnique: flags & 4 != 0, isObjectKey: flags & 8 != 0,
                              linkTarget: target == 0 ? nil : target - 1, deleteRule: rule, collections: collections,
                              owner: owner == 0 ? nil : owner - 1)
    }
}

private struct ReaderOfVersion1 {
    let bytes: [UInt8]
    var offset = 0

    static let damaged = FreeholdError(.corrupt, "the schema is damaged; restore a backup or run `freehold salvage`")

    mutating func byte() throws(FreeholdError) -> UInt8 {
        guard offset < bytes.count else { throw Self.damaged }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func integer() throws(FreeholdError) -> UInt32 {
        guard offset + 4 <= bytes.count else { throw Self.damaged }
        offset += 4
        return (1...4).reduce(0) { $0 << 8 | UInt32(bytes[offset - $1]) }
    }

    mutating func text() throws(FreeholdError) -> String {
        let length = Int(try integer())
        guard length <= bytes.count - offset else { throw Self.damaged }
        defer { offset += length }
        return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
    }

    mutating func flags(below limit: UInt8) throws(FreeholdError) -> UInt8 {
        let flags = try byte()
        guard flags < limit else { throw Self.damaged }
        return flags
    }

    mutating func places() throws(FreeholdError) -> [Int] {
        var places: [Int] = []
        for _ in 0..<(try integer()) { places.append(Int(try integer())) }
        return places
    }
}
