import FreeholdEngine

/// A short text that identifies the classes of a version: equal schemas have equal stamps, in every process.
public enum SchemaStamp {
    /// The stamp of these classes, as `Snapshot.classes` and `WriteTransaction.classes` list them.
    public static func text(of classes: [ClassSchema]) -> String {
        var hash = StampHash()
        hash.add(classes.count)
        for one in classes { hash.add(one) }
        return hash.text
    }
}

/// FNV-1a of 64 bits. Every string is preceded by its length, so that no two schemas give the same bytes.
private struct StampHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    var text: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    mutating func add(_ schema: ClassSchema) {
        add(schema.name)
        add(schema.superclass ?? "")
        add(schema.isEmbedded ? 1 : 0)
        add(schema.primaryKeys.count)
        for key in schema.primaryKeys { add(key) }
        add(schema.indexes.count)
        for index in schema.indexes {
            add(index.isUnique ? 1 : 0)
            add(index.properties.count)
            for property in index.properties { add(property) }
        }
        add(schema.properties.count)
        for property in schema.properties { add(property) }
    }

    private mutating func add(_ property: PropertySchema) {
        add(property.name)
        add(Int(property.type.rawValue))
        add((property.isNullable ? 1 : 0) | (property.isIndexed ? 2 : 0) | (property.isUnique ? 4 : 0))
        add(property.linkTarget ?? "")
        add(Int(property.deleteRule.rawValue))
        add(property.collections.count)
        for kind in property.collections { add(Int(kind.rawValue)) }
    }

    private mutating func add(_ text: String) {
        add(text.utf8.count)
        for byte in text.utf8 { add(byte: byte) }
    }

    mutating func add(_ number: Int) {
        // Safe: the number's bytes are meant.
        var rest = UInt64(bitPattern: Int64(number))
        for _ in 0..<8 {
            add(byte: UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    private mutating func add(byte: UInt8) {
        // Safe: the hash is defined modulo 2^64.
        state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
