import FreeholdEngine

@testable import FreeholdImport

/// The files in `RealmSamples`, written by Realm 20, and what they hold.
enum RealmSamples {
    static let names = ["plain", "plain_streaming", "encrypted"]

    static func path(_ name: String) -> String {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        return "\(folder)/RealmSamples/\(name)"
    }

    /// What the description of a sample says.
    static func described(_ name: String) throws -> ImportedObject {
        let reader = JSONReader(try ByteInput.open(path("\(name).json")))
        guard let record = try reader.next() else { throw SourceError(.damaged, "\(name).json is empty") }
        return record.object
    }

    /// The key of a sample, from its description; nil if it is not encrypted.
    static func key(_ described: ImportedObject) -> [UInt8]? {
        guard case .text(let text) = described["encryption_key_hex"] else { return nil }
        return bytes(text)
    }

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    }
}

extension ImportedValue {
    var object: ImportedObject? {
        if case .object(let object) = self { return object }
        return nil
    }

    var array: [ImportedValue] {
        if case .array(let values) = self { return values }
        return []
    }

    var text: String {
        if case .text(let text) = self { return text }
        return ""
    }

    var isTrue: Bool { self == .bool(true) }

    var integer: Int64 {
        if case .int(let number) = self { return number }
        return -1
    }
}
