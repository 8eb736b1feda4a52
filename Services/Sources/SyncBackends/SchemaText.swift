import Foundation
import FreeholdEngine
import FreeholdMerge

/// Synced classes as JSON: what a server has, and what a file's programs declare.
///
/// ```json
/// {"classes": [{"name": "Task", "key": {"name": "id", "type": "uuid"}, "conflict": "deletionWins",
///               "properties": [{"name": "title", "kind": "plain", "type": "string", "unique": false}]}]}
/// ```
public enum SchemaText {
    private struct Root: Codable { let classes: [Class] }

    private struct Class: Codable {
        let name: String
        let key: Key
        let conflict: String
        let properties: [Property]
    }

    private struct Key: Codable {
        let name: String
        let type: String
    }

    private struct Property: Codable {
        let name: String
        let kind: String
        let type: String?
        let target: String?
        let unique: Bool
    }

    private struct Added: Encodable { let added: [String] }

    /// The most classes of a server, and properties of a class.
    public static let mostClasses = 5_000
    private static let mostProperties = 1_600
    private static let longestName = 1_000
    private static let longestText = 4 << 20

    // MARK: Writing

    public static func json(_ schema: SyncSchema) -> [UInt8] {
        encoded(Root(classes: schema.classes.map { type in
            Class(name: type.name, key: Key(name: type.key.name, type: "\(type.key.type)"), conflict: "\(type.conflict)",
                  properties: type.properties.map {
                      Property(name: $0.name, kind: $0.kind.text, type: $0.type.map { "\($0)" }, target: $0.target, unique: $0.isUnique)
                  })
        }))
    }

    /// What was added: `{"added": ["Task", "Project.title"]}`.
    public static func json(added: [String]) -> [UInt8] { encoded(Added(added: added)) }

    private static func encoded(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Strings and booleans can always be encoded.
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }

    // MARK: Reading

    /// The classes of a text.
    ///
    /// - Throws: `.malformedInput` if a program cannot declare such classes; `.valueTooLarge` if there are too many.
    public static func schema(_ json: [UInt8]) throws(FreeholdError) -> SyncSchema {
        guard json.count <= longestText else { throw FreeholdError(.valueTooLarge, "the text of the classes is longer than 4 MiB") }
        let root: Root
        do { root = try JSONDecoder().decode(Root.self, from: Data(json)) } catch {
            throw FreeholdError(.malformedInput, "the classes are no JSON of the form that `GET /v1/schema` has\(place(of: error))")
        }
        guard root.classes.count <= mostClasses else {
            throw FreeholdError(.valueTooLarge, "there are \(root.classes.count) classes; the most are \(mostClasses)")
        }
        let names = Set(root.classes.map { ExactText($0.name) })
        guard names.count == root.classes.count else { throw FreeholdError(.malformedInput, "a class is named twice") }
        return SyncSchema(classes: try root.classes.map { one throws(FreeholdError) in try read(one) })
    }

    /// What is missing or of another type, and where.
    private static func place(of error: any Error) -> String {
        let path: [any CodingKey], what: String
        switch error as? DecodingError {
        case .keyNotFound(let key, let context): (path, what) = (context.codingPath, "`\(key.stringValue)` is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context): (path, what) = (context.codingPath, "a value has another type")
        default: return ""
        }
        let words = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return ": \(what)\(words.isEmpty ? "" : " at \(words.prefix(200))")"
    }

    private static func read(_ one: Class) throws(FreeholdError) -> SyncSchema.Class {
        try check(one.name, "a class")
        try check(one.key.name, "the primary key of \(one.name)")
        guard !one.key.name.utf8.contains(UInt8(ascii: ".")), !one.key.name.isSame(as: SyncNames.subclass) else {
            throw FreeholdError(.malformedInput, "\(one.name): a primary key is not called `\(one.key.name)`")
        }
        guard let key = type(one.key.type), [.int, .string, .uuid, .objectId].contains(key) else {
            throw FreeholdError(.malformedInput, "\(one.name): a primary key has no type `\(one.key.type)`")
        }
        guard let conflict = [SyncSchema.Conflict.deletionWins, .updateWins].first(where: { "\($0)".isSame(as: one.conflict) }) else {
            throw FreeholdError(.malformedInput, "\(one.name): `conflict` is `deletionWins` or `updateWins`, not `\(one.conflict)`")
        }
        guard one.properties.count <= mostProperties else {
            throw FreeholdError(.valueTooLarge, "\(one.name) has \(one.properties.count) properties; the most are \(mostProperties)")
        }
        let names = Set(one.properties.map { ExactText($0.name) })
        guard names.count == one.properties.count, !names.contains(ExactText(one.key.name)) else {
            throw FreeholdError(.malformedInput, "\(one.name): a property is named twice")
        }
        return SyncSchema.Class(one.name, conflict: conflict, key: .init(one.key.name, key),
                                properties: try one.properties.map { property throws(FreeholdError) in try read(property, of: one, names) })
    }

    private static func read(_ one: Property, of type: Class, _ names: Set<ExactText>) throws(FreeholdError) -> SyncSchema.Property {
        let place = "\(type.name).\(one.name)"
        try check(one.name, "a property of \(type.name)")
        if let target = one.target { try check(target, "the class that \(place) links to") }
        guard let kind = SyncSchema.Kind(text: one.kind) else {
            throw FreeholdError(.malformedInput, "\(place): there is no kind `\(one.kind)`")
        }
        let found = try one.type.map { text throws(FreeholdError) in
            guard let found = Self.type(text) else { throw FreeholdError(.malformedInput, "\(place): there is no type `\(text)`") }
            return found
        }
        guard kind != .counter || found == nil || found == .int, !one.unique || kind == .plain else {
            throw FreeholdError(.malformedInput, "\(place): a counter is an integer, and only single values are unique")
        }
        if let dot = one.name.utf8.lastIndex(of: UInt8(ascii: ".")) {
            let owner = type.properties.first { $0.name.isSame(as: String(one.name[..<dot])) }
            let embeds = owner.map { $0.kind == "plain" && ($0.type ?? "link") == "link" && !$0.unique } ?? false
            guard embeds, kind == .plain, !one.unique, dot != one.name.utf8.index(before: one.name.utf8.endIndex) else {
                throw FreeholdError(.malformedInput, "\(place): what stands before its last dot is no property that embeds an object")
            }
        }
        let inner = one.name.split(separator: ".", omittingEmptySubsequences: false).last.map { String($0) } ?? ""
        guard !inner.isSame(as: SyncNames.subclass) || kind == .plain && !one.unique && (found == nil || found == .string) else {
            throw FreeholdError(.malformedInput, "\(place): the name of a class is a plain string")
        }
        return .init(one.name, kind, isUnique: one.unique, type: found, target: one.target)
    }

    private static func type(_ name: String) -> PropertyType? { PropertyType.allCases.first { "\($0)".isSame(as: name) } }

    private static func check(_ name: String, _ what: String) throws(FreeholdError) {
        guard !name.isEmpty, name.utf8.count <= longestName, !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else {
            throw FreeholdError(.malformedInput, "the name of \(what) has 1 to \(longestName) bytes, and no control characters")
        }
    }
}
