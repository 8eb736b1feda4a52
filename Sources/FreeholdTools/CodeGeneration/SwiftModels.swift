import FreeholdEngine

/// Model classes for `import Freehold`.
public struct SwiftModels {
    private let outline: ModelOutline
    /// The Swift names of classes.
    private let names: TextMap<String>
    /// Why classes are left out.
    private let missing: TextMap<String>

    /// Creates the printer for the classes of a snapshot.
    public init(_ classes: [ClassSchema]) {
        outline = ModelOutline(classes)
        var identifiers = Identifiers(reserved: SwiftWords.types, keepsLetters: true), names: TextMap<String> = [:]
        for schema in classes { names[schema.name] = identifiers.take(schema.name) }
        self.names = names
        missing = Self.missing(outline)
    }

    /// The classes that Swift cannot declare. One that is left out takes others with it: those that extend it, and those
    /// that only link to it.
    private static func missing(_ outline: ModelOutline) -> TextMap<String> {
        var missing: TextMap<String> = [:], count = -1
        while count != missing.count {
            count = missing.count
            for schema in outline.classes where missing[schema.name] == nil {
                let properties = schema.properties.filter { property in property.linkTarget.map { missing[$0] == nil } ?? true }
                if schema.primaryKeys.count > 1 {
                    missing[schema.name] = "its primary key has several properties, and a Swift class's has one"
                } else if let base = schema.superclass, missing[base] != nil {
                    missing[schema.name] = "it extends such a class"
                } else if properties.isEmpty, schema.superclass == nil {
                    missing[schema.name] = "it has no property that a Swift class can declare"
                }
            }
        }
        return missing
    }

    /// The source text.
    public var text: String {
        """
        // Models of the classes in a Freehold database, as `freehold schema --format swift` prints them.
        import Foundation
        import Freehold
        \(declarations)
        """
    }

    /// The classes, and comments on those that are left out, each after an empty line.
    var declarations: String {
        var text = ""
        for schema in outline.classes where missing[schema.name] == nil { text += "\n" + self.text(schema) }
        for schema in outline.classes {
            guard let reason = missing[schema.name] else { continue }
            text += """

                // Class \(ModelOutline.said(schema.name)) is left out: \(reason).
                // Its objects are reached by name: realm.dynamicObjects(\(Literal.swift(schema.name)))

                """
        }
        return text
    }

    /// Whether all classes are declared, with all properties, under the names that they have in the file: queries of models
    /// use the names of the models.
    var hasNamesOfFile: Bool {
        missing.isEmpty && outline.classes.allSatisfy { schema in
            let identifiers = identifiers(outline.line(schema))
            return names[schema.name].isSame(as: schema.name) && schema.properties.allSatisfy { identifiers[$0.name].isSame(as: $0.name) }
        }
    }

    private func text(_ schema: ClassSchema) -> String {
        let name = names[schema.name] ?? "", line = outline.line(schema)
        let base = schema.superclass.flatMap { names[$0] } ?? (schema.isEmbedded ? "EmbeddedObject" : "Object")
        var text = "class \(SwiftWords.quoted(name)): \(SwiftWords.quoted(base)) {\n"
        // A class inherits the other name of the class it extends.
        if line.contains(where: { !names[$0.name].isSame(as: $0.name) }) {
            text += "    override class func className() -> String { \(Literal.swift(schema.name)) }\n"
        }
        let identifiers = identifiers(line)
        for property in schema.properties {
            text += self.text(property, identifiers[property.name] ?? "", isKey: schema.primaryKeys.has(property.name),
                              vectors(in: property, schema), collations(of: property, schema),
                              isCounter: outline.syncRules(schema)?.counters.has(property.name) == true)
        }
        for index in schema.indexes { text += "    // \(index.modelRemark)\n" }
        for index in schema.vectorIndexes where !schema.properties.contains(where: { vectors(in: $0, schema) == index }) {
            text += "    // \(index.modelRemark)\n"
        }
        return text + fullText(schema) + places(schema) + collations(schema) + sync(schema) + "}\n"
    }

    /// The index of the vectors in a property that the property's declaration can state.
    private func vectors(in property: PropertySchema, _ schema: ClassSchema) -> VectorIndex? {
        if property.isUnique || schema.isEmbedded || schema.primaryKeys.has(property.name) { return nil }
        return schema.vectorIndexes.first { $0.property.isSame(as: property.name) }
    }

    /// The indexes in a collation of a property that the property's declaration can state.
    private func collations(of property: PropertySchema, _ schema: ClassSchema) -> [CollationIndex] {
        schema.isEmbedded ? [] : schema.collationIndexes.filter { $0.property.isSame(as: property.name) }
    }

    /// The declaration of full-text indexes; empty without any.
    private func fullText(_ schema: ClassSchema) -> String {
        var declared: [String] = [], text = ""
        for index in schema.fullTextIndexes {
            let fields = index.fields.compactMap { field in
                path(field.path, schema).map { path in
                    field.weight == 1 ? Literal.swift(path) : ".init(\(Literal.swift(path)), weight: \(field.weight))"
                }
            }
            // A field may lead to a class that is left out.
            let list = "[\(fields.joined(separator: ", "))]"
            if fields.count == index.fields.count, !schema.isEmbedded {
                declared.append(index.language.map { ".init(\(list), language: \(Literal.swift($0)))" } ?? list)
            } else {
                text += "    // \(index.modelRemark)\n"
            }
        }
        if declared.isEmpty { return text }
        let list = declared.joined(separator: ", ")
        return text + "\n    override class func fullTextIndexes() -> [FullTextIndex] { [\(list)] }\n"
    }

    /// The declaration of indexes of places; empty without any.
    private func places(_ schema: ClassSchema) -> String {
        var declared: [String] = [], text = ""
        for index in schema.placeIndexes {
            if let said = places(index, schema), !schema.isEmbedded { declared.append(said) } else {
                text += "    // \(index.modelRemark)\n"
            }
        }
        if declared.isEmpty { return text }
        return text + "\n    override class func placeIndexes() -> [PlaceIndex] { [\(declared.joined(separator: ", "))] }\n"
    }

    /// An index of places as a model says it; nil if it leads to a class that is left out.
    private func places(_ index: PlaceIndex, _ schema: ClassSchema) -> String? {
        if index == PlaceIndex() { return ".init()" }
        if let link = index.link {
            return path(link + ".type", schema) == nil ? nil : path(link, schema).map { Literal.swift($0) }
        }
        guard let latitude = path(index.paths[0], schema), let longitude = path(index.paths[1], schema) else { return nil }
        return ".init(latitude: \(Literal.swift(latitude)), longitude: \(Literal.swift(longitude)))"
    }

    /// The declaration of indexes in a collation of inherited properties; empty without any.
    private func collations(_ schema: ClassSchema) -> String {
        if schema.isEmbedded { return schema.collationIndexes.map { "    // \($0.modelRemark)\n" }.joined() }
        let own = schema.properties.flatMap { collations(of: $0, schema) }
        let declared = schema.collationIndexes.filter { !own.contains($0) }.map { index in
            ".init(\(Literal.swift(path(index.property, schema) ?? index.property)), collation: \(Literal.swift(index.collation)))"
        }
        if declared.isEmpty { return "" }
        return "\n    override class func collationIndexes() -> [CollationIndex] { [\(declared.joined(separator: ", "))] }\n"
    }

    /// The declaration of a synced class; its counters are declared with their properties.
    private func sync(_ schema: ClassSchema) -> String {
        guard let rules = schema.syncRules else { return "" }
        let merged = rules.merged.map { Literal.swift(path($0, schema) ?? $0) }.joined(separator: ", ")
        let options = (rules.onConflict == .updateWins ? ["onConflict: .updateWins"] : []) + (merged.isEmpty ? [] : ["merged: [\(merged)]"])
        return "\n    override class func syncRules() -> SyncRules? { SyncRules(\(options.joined(separator: ", "))) }\n"
    }

    /// The path of a field by the identifiers of the models.
    private func path(_ path: String, _ schema: ClassSchema) -> String? {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init), line = outline.line(schema)
        guard let first = identifiers(line)[parts[0]] else { return nil }
        if parts.count == 1 { return first }
        let link = line.flatMap(\.properties).first { $0.name.isSame(as: parts[0]) }
        guard let target = outline.find(link?.linkTarget), missing[target.name] == nil else { return nil }
        return identifiers(outline.line(target))[parts[1]].map { "\(first).\($0)" }
    }

    /// The identifiers of all properties of a class, the inherited ones first, as they are in the class that declares them.
    private func identifiers(_ line: [ClassSchema]) -> TextMap<String> {
        var identifiers = Identifiers(reserved: SwiftWords.members + SwiftWords.types + names.values, keepsLetters: true)
        var found: TextMap<String> = [:]
        // The storage of `name` is called `_name`.
        for property in line.flatMap(\.properties) { found[property.name] = identifiers.take(property.name) { ["_" + $0] } }
        return found
    }

    private func text(_ property: PropertySchema, _ identifier: String, isKey: Bool, _ vectors: VectorIndex?,
                      _ collations: [CollationIndex], isCounter: Bool) -> String {
        if let target = property.linkTarget, missing[target] != nil {
            return "    // Property \(ModelOutline.said(property.name)) (\(property.commentedType)) is left out with its class. "
                + "It stays until schemaVersion is raised.\n"
        }
        var options: [String] = [], remark = ""
        if isKey { options.append("primaryKey: true") }
        if isCounter { options.append("counter: true") }
        if property.isIndexed {
            let cannot = isKey || !property.collections.isEmpty || [.data, .link].contains(property.type)
            if cannot {
                remark = "    // The file also keeps an index of this property, which a model cannot declare.\n"
            } else {
                options.append("indexed: true")
            }
        }
        if property.isUnique, !isKey { options.append("unique: true") }
        if property.deleteRule != .nullify { options.append("deleteRule: .\(property.deleteRule.name)") }
        if let vectors { options += Self.options(vectors) }
        if !collations.isEmpty {
            let tags = collations.map { Literal.swift($0.collation) }
            options.append("collation: " + (tags.count == 1 ? tags[0] : "[\(tags.joined(separator: ", "))]"))
        }
        if !identifier.isSame(as: property.name) { options.append("name: \(Literal.swift(property.name))") }
        let list = options.isEmpty ? "" : "(\(options.joined(separator: ", ")))"
        let type = vectors.flatMap { Self.type($0, property) } ?? type(property)
        return remark + "    @Persisted\(list) var \(SwiftWords.quoted(identifier)): \(type)\n"
    }

    /// The options of a property with vectors.
    private static func options(_ index: VectorIndex) -> [String] {
        ["vector: \(index.dimensions)"] + (index.elements == .float16 ? ["elements: .float16"] : [])
            + (index.metric == .cosine ? [] : ["metric: .\(index.metric.rawValue)"])
    }

    /// The type of a property with vectors; nil if these are bytes.
    private static func type(_ index: VectorIndex, _ property: PropertySchema) -> String? {
        let type: String? = switch index.elements {
        case .float32: "[Float]"
        case .float16: nil
        case .int8: "[Int8]"
        }
        return type.map { $0 + (property.isNullable ? "?" : "") }
    }

    private func type(_ property: PropertySchema) -> String {
        var type = single(property)
        for collection in property.collections.reversed() {
            switch collection {
            case .list: type = "List<\(type)>"
            case .set: type = "MutableSet<\(type)>"
            case .map: type = "Map<String, \(type)>"
            }
        }
        return type
    }

    private func single(_ property: PropertySchema) -> String {
        let optional = property.isNullable ? "?" : ""
        switch property.type {
        case .bool: return "Bool" + optional
        case .int: return "Int" + optional
        case .float: return "Float" + optional
        case .double: return "Double" + optional
        case .string: return "String" + optional
        case .data: return "Data" + optional
        case .date: return "Date" + optional
        case .uuid: return "UUID" + optional
        case .objectId: return "ObjectId" + optional
        case .decimal: return "Decimal128" + optional
        case .mixed: return "AnyRealmValue"
        case .link:
            // A map's object may be nil, whatever the file says; a list's and a set's cannot.
            let isOptional = property.collections.last.map { $0 == .map } ?? true
            return SwiftWords.quoted(names[property.linkTarget ?? ""] ?? "") + (isOptional ? "?" : "")
        }
    }
}

/// Words that mean something in a Swift model.
enum SwiftWords {
    /// Types that models use, and those of the library, which programs want to keep.
    static let types = """
        Any Self Type Protocol Bool Int Float Double String Data Date UUID Never Void Optional Array Dictionary Set \
        Character Swift Foundation Freehold FreeholdEngine AnyObject AnyRealmCollection AnyRealmValue AsyncOpenTask \
        AsyncTransactionId ChangeSequence CustomPersistable Decimal128 DynamicObject EmbeddedObject \
        FailableCustomPersistable Freezable Frozen GroupFigure HostLoop LinkingObjects List Map Migration \
        MigrationBlock MigrationObject MigrationPlan Misuse MutableSet NotificationToken Object ObjectBase \
        ObjectChange ObjectId ObjectSchema ObjectStoring PersistableEnum Persisted PersistedType Projected \
        ObjectCollection ProjectedCollection Projection ProjectionObservable Property PropertyChange PropertyType Query Realm \
        RealmCollection RealmCollectionBase RealmCollectionChange RealmCollectionValue RealmFetchable \
        RealmKeyedCollection RealmMapChange RealmOptional RealmProperty RealmSectionedResult \
        RealmSectionedResultsChange Results ResultsGroup ResultsSection Schema SectionedResults \
        SectionedResultsChange SingleMapEntry SortDescriptor ThreadConfined ThreadSafe ThreadSafeReference \
        UpdatePolicy DeleteRule FullTextIndex FullTextField FullTextOptions PlaceIndex VectorIndex VectorElements VectorMetric \
        CollationIndex Collation PropertyCollations SyncRules SyncConflict
        """.split(separator: " ").map(String.init)

    /// Members that every model has.
    static let members = """
        self init Type Protocol description debugDescription hashValue realm isInvalidated isFrozen objectSchema \
        changes freeze thaw fullTextIndexes placeIndexes collationIndexes syncRules
        """.split(separator: " ").map(String.init)

    private static let keywords: Set<ExactText> = Set(exact: """
        associatedtype class deinit enum extension fileprivate func import inout internal let operator private \
        precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue \
        default defer do else fallthrough for guard if in repeat return throw switch where while Any as await false \
        is nil super throws true try
        """.split(separator: " ").map(String.init))

    /// The identifier, in backticks if it is a keyword.
    static func quoted(_ identifier: String) -> String { keywords.contains(identifier) ? "`\(identifier)`" : identifier }
}
