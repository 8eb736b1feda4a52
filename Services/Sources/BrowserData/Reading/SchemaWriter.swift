import FreeholdEngine

/// Writes the classes of a version, with their counts.
struct SchemaWriter {
    let snapshot: Snapshot

    func write(to output: inout JSONOutput) throws {
        let classes = try snapshot.classes
        try output.object { output in
            output.field("version", snapshot.version)
            output.field("stamp", SchemaStamp.text(of: classes))
            output.field("schemaVersion", try snapshot.schemaVersion.map { String($0) })
            try output.array("classes") { output in
                for schema in classes { try output.elementObject { try write(schema, among: classes, to: &$0) } }
            }
        }
    }

    private func write(_ schema: ClassSchema, among classes: [ClassSchema], to output: inout JSONOutput) throws {
        output.field("name", schema.name)
        output.field("superclass", schema.superclass)
        output.field("embedded", schema.isEmbedded)
        output.field("primaryKey", Self.topmost(schema, among: classes).primaryKeys)
        let table = try snapshot.table(schema.name)
        output.field("count", table.count)
        output.array("properties") { output in
            for property in table.schema.properties {
                let isOwn = schema.properties.contains { $0.name.isSame(as: property.name) }
                output.elementObject { Self.write(property, isInherited: !isOwn, to: &$0) }
            }
        }
        output.array("indexes") { output in
            for index in schema.indexes {
                output.elementObject { output in
                    output.field("properties", index.properties)
                    output.field("unique", index.isUnique)
                }
            }
        }
        let line = Self.line(schema, among: classes)
        output.array("backlinks") { output in
            for other in classes {
                for property in other.properties where property.linkTarget.map({ line.has($0) }) ?? false {
                    output.elementObject { output in
                        output.field("class", other.name)
                        output.field("property", property.name)
                    }
                }
            }
        }
    }

    static func write(_ property: PropertySchema, isInherited: Bool = false, to output: inout JSONOutput) {
        output.field("name", property.name)
        output.field("type", property.type.name)
        output.field("nullable", property.isNullable)
        output.field("collections", property.collections.map(\.name))
        output.field("indexed", property.isIndexed)
        output.field("unique", property.isUnique)
        output.field("target", property.linkTarget)
        output.field("deleteRule", property.type == .link ? property.deleteRule.name : nil)
        output.field("inherited", isInherited)
    }

    /// The names of a class and of those it extends.
    static func line(_ schema: ClassSchema, among classes: [ClassSchema]) -> [String] {
        var names = [schema.name], next = schema.superclass
        while let name = next, names.count <= classes.count {
            names.append(name)
            next = classes.first { $0.name.isSame(as: name) }?.superclass
        }
        return names
    }

    private static func topmost(_ schema: ClassSchema, among classes: [ClassSchema]) -> ClassSchema {
        let last = line(schema, among: classes).last
        return classes.first { $0.name.isSame(as: last ?? "") } ?? schema
    }
}
