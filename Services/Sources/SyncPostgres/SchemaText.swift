import Foundation
import FreeholdEngine
import FreeholdMerge

/// The classes of a server as JSON.
///
/// ```json
/// {"classes": [{"name": "Task", "key": {"name": "id", "type": "uuid"}, "conflict": "deletionWins",
///               "properties": [{"name": "title", "kind": "plain", "type": "string", "unique": false}]}]}
/// ```
enum SchemaText {
    private struct Root: Encodable { let classes: [Class] }

    private struct Class: Encodable {
        let name: String
        let key: Key
        let conflict: String
        let properties: [Property]
    }

    private struct Key: Encodable {
        let name: String
        let type: String
    }

    private struct Property: Encodable {
        let name: String
        let kind: String
        let type: String?
        let target: String?
        let unique: Bool
    }

    static func json(_ schema: SyncSchema) -> [UInt8] {
        let root = Root(classes: schema.classes.map { type in
            Class(name: type.name, key: Key(name: type.key.name, type: "\(type.key.type)"), conflict: "\(type.conflict)",
                  properties: type.properties.map {
                      Property(name: $0.name, kind: $0.kind.text, type: $0.type.map { "\($0)" }, target: $0.target, unique: $0.isUnique)
                  })
        })
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Strings and booleans can always be encoded.
        return (try? encoder.encode(root)).map { Array($0) } ?? []
    }
}
