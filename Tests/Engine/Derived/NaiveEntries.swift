@testable import FreeholdEngine
import TestKit

/// The entries of the derived indexes of a version, as they are stored and as its objects ask for.
enum NaiveEntries {
    /// What is wrong with the indexes of fields (`FieldKind`), each with its class.
    static func complaints(_ snapshot: Snapshot) throws -> [String] {
        let (schema, top) = try snapshot.contents()
        var found: [String] = []
        for stored in schema.presentTables {
            for index in stored.derived {
                let root = try TableRoot(top.table(Int(stored.number)), in: snapshot.core.access)
                found += try complaints(index, stored, root, snapshot).map { "\(stored.name) \(index.number): \($0)" }
            }
        }
        return found
    }

    private static func complaints(_ index: StoredDerived, _ stored: StoredClass, _ root: TableRoot,
                                   _ snapshot: Snapshot) throws -> [String] {
        let documents = try NaiveDocuments(index, ofTable: Int(stored.number), in: snapshot).values
        let reference = root.auxiliary(.derived, index.column)
        if reference.isNull { return root.sealedCount == 0 ? [] : ["it has no root for \(root.sealedCount) objects"] }
        let derived = try DerivedRoot(reference, in: snapshot.core.access), kind = FieldKind()
        var wanted: Set<[UInt8]> = [], counted: UInt64 = 0
        for (key, values) in documents where derived.limit.map({ key < $0 }) ?? true {
            let entries = entries(key, values)
            wanted.formUnion(entries)
            if !entries.isEmpty { counted += 1 }
        }
        var found = kind.faults(derived.contents, of: index, in: snapshot.core.access), stored: Set<[UInt8]> = []
        try kind.forEachEntry(derived.contents, in: snapshot.core.access) { bytes, key in stored.insert(entry(key, Array(bytes))) }
        let counts = kind.counts(derived.contents)
        if counts != [counted] { found.append("it counts \(counts) documents, not \(counted)") }
        if stored != wanted {
            let missing = wanted.subtracting(stored).count
            found.append("\(stored.subtracting(wanted).count) entries too many, \(missing) missing of \(wanted.count)")
        }
        return found
    }

    private static func entries(_ key: Int64, _ values: [Value]) -> [[UInt8]] {
        values.enumerated().filter { $0.element != .null }.map { field, value in
            let bytes = ByteBuffer()
            bytes.append(UInt8(field))
            bytes.appendKey(value, of: .mixed)
            return entry(key, Array(bytes.bytes.prefix(FieldKind.maximumBytes)))
        }
    }

    private static func entry(_ key: Int64, _ bytes: [UInt8]) -> [UInt8] { withUnsafeBytes(of: key.bigEndian) { Array($0) } + bytes }
}
