import FreeholdEngine

/// A module for Python's package `freehold`.
public struct PythonModels {
    private let outline: ModelOutline
    /// The Python names of classes.
    private let names: TextMap<String>
    /// The classes that are left out, because a property of their primary key cannot be a field.
    private let missing: Set<ExactText>

    /// Creates the printer for the classes of a snapshot.
    public init(_ classes: [ClassSchema]) {
        outline = ModelOutline(classes)
        var identifiers = Identifiers(reserved: Self.keywords + Self.types, keepsLetters: true), names: TextMap<String> = [:]
        for schema in classes { names[schema.name] = identifiers.take(schema.name) }
        self.names = names
        let outline = outline
        missing = Set(exact: classes.filter { outline.primaryKeys($0).contains { !Self.isField($0) } }.map(\.name))
    }

    /// The source text.
    public var text: String {
        var text = """
            \"\"\"The classes of a Freehold database, as `freehold schema --format python` prints them.

                database = freehold.open(path, MODELS)
            \"\"\"

            from __future__ import annotations

            import datetime
            import decimal
            import uuid
            from typing import Any

            import freehold


            """
        let declared = outline.classes.filter { !missing.contains($0.name) }
        for schema in declared { text += "\n" + self.text(schema) + "\n" }
        for schema in outline.classes where missing.contains(schema.name) {
            text += """
                # Class \(ModelOutline.said(schema.name)) is left out: no field can have the name of its primary key.
                # Its objects are reached by name: snapshot.objects(\(Literal.python(schema.name)))

                """
        }
        return text + "\n#: All models.\nMODELS = [\(declared.map { names[$0.name] ?? "" }.joined(separator: ", "))]\n"
    }

    private func text(_ schema: ClassSchema) -> String {
        let name = names[schema.name] ?? "", keys = outline.primaryKeys(schema)
        var options: [String] = []
        if !name.isSame(as: schema.name) { options.append("name=\(Literal.python(schema.name))") }
        if schema.isEmbedded { options.append("embedded=True") }
        if let rules = schema.syncRules { options.append("sync=\"\(rules.onConflict == .updateWins ? "update_wins" : "deletion_wins")\"") }
        var text = "@freehold.model\(options.isEmpty ? "" : "(\(options.joined(separator: ", ")))")\nclass \(name):\n"
        var isEmpty = true
        if let base = schema.superclass {
            text += "    # Extends \(ModelOutline.said(base)) in the file; a model has the inherited fields, too.\n"
        }
        let properties = outline.keyFirst(outline.properties(schema), keys)
        // Fields without a default come first.
        let required = properties.filter { !hasDefault($0, keys) }, others = properties.filter { hasDefault($0, keys) }
        for property in required + others {
            if Self.isField(property.name), let type = type(property) {
                text += "    \(property.name): \(type)\(value(property, keys, among: properties, outline.syncRules(schema)))\n"
                isEmpty = false
            } else {
                text += "    # \(ModelOutline.said(property.name)) (\(property.commentedType)) cannot be a field; "
                    + "read it as row[\(Literal.python(property.name))].\n"
            }
        }
        for index in outline.indexes(schema) { text += "    # \(index.modelRemark) See Transaction.add_index.\n" }
        for index in outline.fullTextIndexes(schema) { text += "    # \(index.modelRemark)\n" }
        for index in outline.placeIndexes(schema) { text += "    # \(index.modelRemark)\n" }
        for index in outline.vectorIndexes(schema) { text += "    # \(index.modelRemark)\n" }
        for index in outline.collationIndexes(schema) { text += "    # \(index.modelRemark)\n" }
        return text + (isEmpty ? "    pass\n" : "")
    }

    private func hasDefault(_ property: PropertySchema, _ keys: [String]) -> Bool {
        !keys.has(property.name) && (!property.collections.isEmpty || property.isNullable)
    }

    /// What follows a field's type.
    private func value(_ property: PropertySchema, _ keys: [String], among properties: [PropertySchema], _ sync: SyncRules?) -> String {
        var options: [String] = []
        if keys.has(property.name) { options.append("primary_key=True") }
        if property.isIndexed { options.append("indexed=True") }
        if property.isUnique { options.append("unique=True") }
        if property.deleteRule != .nullify { options.append("delete_rule=\"\(property.deleteRule.name)\"") }
        if let sync, sync.counters.has(property.name) { options.append("counter=True") }
        if let sync, sync.merged.has(property.name) { options.append("merged=True") }
        if hasDefault(property, keys) {
            let empty = property.collections.first.map { "default_factory=\(factory($0, properties))" }
            if options.isEmpty, empty == nil { return " = None" }
            options.append(empty ?? "default=None")
        }
        return options.isEmpty ? "" : " = freehold.field(\(options.joined(separator: ", ")))"
    }

    /// What makes an empty collection. Within a class, the name of a type may be that of a field.
    private func factory(_ kind: CollectionKind, _ properties: [PropertySchema]) -> String {
        let (name, value) = switch kind {
        case .list: ("list", "[]")
        case .set: ("set", "{*()}")
        case .map: ("dict", "{}")
        }
        return properties.contains { $0.name.isSame(as: name) } ? "lambda: \(value)" : name
    }

    /// The annotation; nil if a link leads to a class that has no model.
    private func type(_ property: PropertySchema) -> String? {
        guard var type = single(property) else { return nil }
        for collection in property.collections.reversed() {
            switch collection {
            case .list: type = "list[\(type)]"
            case .set: type = "set[\(type)]"
            case .map: type = "dict[str, \(type)]"
            }
        }
        return type
    }

    private func single(_ property: PropertySchema) -> String? {
        let optional = property.isNullable ? " | None" : ""
        switch property.type {
        case .bool: return "bool" + optional
        case .int: return "int" + optional
        case .float: return "freehold.Float32" + optional
        case .double: return "float" + optional
        case .string: return "str" + optional
        case .data: return "bytes" + optional
        case .date: return "datetime.datetime" + optional
        case .uuid: return "uuid.UUID" + optional
        case .objectId: return "freehold.ObjectId" + optional
        case .decimal: return "decimal.Decimal" + optional
        case .mixed: return "Any"
        case .link:
            let target = property.linkTarget ?? ""
            return missing.contains(target) ? nil : (names[target] ?? "") + optional
        }
    }

    /// Whether a dataclass can have a field of this name that the database finds under it. Python changes names that
    /// begin with two underscores; `freehold` means the package within the class.
    private static func isField(_ name: String) -> Bool {
        Identifiers.isIdentifier(name) && !keywords.has(name) && !name.hasPrefix("__") && !name.isSame(as: "freehold")
    }

    private static let keywords = """
        False None True and as assert async await break class continue def del elif else except finally for from \
        global if import in is lambda nonlocal not or pass raise return try while with yield
        """.split(separator: " ").map(String.init)

    /// Names that annotations use, and that of the list of models.
    private static let types = """
        bool int float str bytes datetime decimal uuid Any freehold list set dict object type MODELS annotations
        """.split(separator: " ").map(String.init)
}
