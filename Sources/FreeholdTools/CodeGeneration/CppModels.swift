import FreeholdEngine

/// A header for C++ and `freehold.hpp`: the definitions of all classes, and a mapped structure for each.
public struct CppModels {
    private let outline: ModelOutline
    /// The names of the structures.
    private let names: TextMap<String>

    /// Creates the printer for the classes of a snapshot.
    public init(_ classes: [ClassSchema]) {
        outline = ModelOutline(classes)
        var identifiers = Identifiers(reserved: CWords.reserved + Self.reserved), names: TextMap<String> = [:]
        for schema in classes { names[schema.name] = identifiers.take(CWords.member(schema.name)) }
        self.names = names
    }

    private static let reserved = ["models", "freehold", "std", "classes", "name", "members"]

    /// The source text.
    public var text: String {
        """
        // The classes of a Freehold database, as `freehold schema --format cpp` prints them.
        //
        //     transaction.adopt(models::classes());    // in another file: creates them
        //     models::NAME object = snapshot.find("NAME", key)->load<models::NAME>();
        //
        // A structure has what its objects inherit, too. Links and mixed values are no members: object.get<…>("name") reads
        // them.
        #ifndef FREEHOLD_MODELS_HPP
        #define FREEHOLD_MODELS_HPP

        #include <freehold.hpp>

        namespace models {

        \(outline.classes.map(structure).joined())// The definitions of all classes.
        inline std::vector<freehold::ClassDefinition> classes()
        {
            using namespace std::string_view_literals;
            return {
        \(outline.classes.map(definition).joined())    };
        }

        } // namespace models
        \(outline.classes.map(mapping).joined())
        #endif

        """
    }

    /// The members of a class's structure, and the properties that cannot be members.
    private func members(_ schema: ClassSchema) -> (members: [(property: PropertySchema, name: String)], others: [PropertySchema]) {
        var identifiers = Identifiers(reserved: CWords.reserved + ["std", "freehold", "models", names[schema.name] ?? ""])
        var members: [(property: PropertySchema, name: String)] = [], others: [PropertySchema] = []
        for property in outline.properties(schema) {
            // Decimals have no order, which the elements of std::set need.
            if property.type == .link || property.type == .mixed || property.type == .decimal && property.collections.last == .set {
                others.append(property)
            } else {
                members.append((property, identifiers.take(CWords.member(property.name))))
            }
        }
        return (members, others)
    }

    private func structure(_ schema: ClassSchema) -> String {
        let (members, others) = members(schema)
        var text = "// Class \(ModelOutline.said(schema.name))\(schema.remark.isEmpty ? "" : ": " + Literal.comment(schema.remark)).\n"
        text += "struct \(names[schema.name] ?? "") {\n"
        for (property, name) in members { text += "    \(type(property)) \(name){};\n" }
        for property in others { text += "    // \(ModelOutline.said(property.name)): \(property.commentedType)\n" }
        for index in outline.indexes(schema) { text += "    // \(index.modelRemark) See Transaction::add_index.\n" }
        for index in outline.fullTextIndexes(schema) { text += "    // \(index.modelRemark)\n" }
        for index in outline.placeIndexes(schema) { text += "    // \(index.modelRemark)\n" }
        for index in outline.vectorIndexes(schema) { text += "    // \(index.modelRemark)\n" }
        for index in outline.collationIndexes(schema) { text += "    // \(index.modelRemark)\n" }
        return text + "};\n\n"
    }

    private func type(_ property: PropertySchema) -> String {
        var type = Self.type(property.type)
        if property.isNullable { type = "std::optional<\(type)>" }
        for collection in property.collections.reversed() {
            switch collection {
            case .list: type = "std::vector<\(type)>"
            case .set: type = "std::set<\(type)>"
            case .map: type = "std::map<std::string, \(type)>"
            }
        }
        return type
    }

    private static func type(_ type: PropertyType) -> String {
        switch type {
        case .bool: "bool"
        case .int: "std::int64_t"
        case .float: "float"
        case .double: "double"
        case .string: "std::string"
        case .data: "std::vector<std::uint8_t>"
        case .date: "freehold::Time"
        case .uuid: "freehold::Uuid"
        case .objectId: "freehold::ObjectId"
        case .decimal: "freehold::Decimal"
        case .link, .mixed: "freehold::Link"
        }
    }

    /// A class with the properties that it declares itself.
    private func definition(_ schema: ClassSchema) -> String {
        var text = "        {\(Literal.c(schema.name))sv, {\n"
        for property in outline.keyFirst(schema.properties, schema.primaryKeys) {
            let flags = CWords.flags(property, isKey: schema.primaryKeys.has(property.name), outline.syncRules(schema))
            let kinds = property.collections.map(CWords.type).joined(separator: ", ")
            text += "            {\(Literal.c(property.name))sv, \(CWords.type(property.type)), \(flags.isEmpty ? "0" : flags), "
                + "\(Literal.c(property.linkTarget ?? ""))sv, {\(kinds)}, \(CWords.rule(property.deleteRule))},\n"
        }
        return text + "        }, \(Literal.c(schema.superclass ?? ""))sv, \(schema.isEmbedded)"
            + (schema.syncRules.map { ", \(CWords.sync($0))" } ?? "") + "},\n"
    }

    private func mapping(_ schema: ClassSchema) -> String {
        let name = names[schema.name] ?? "", keys = outline.primaryKeys(schema)
        let rows = members(schema).members.map { property, member in
            let flags = CWords.flags(property, isKey: keys.has(property.name), outline.syncRules(schema))
            let view = "std::string_view(\(Literal.c(property.name)), \(property.name.utf8.count))"
            return "        freehold::member(\(view), &models::\(name)::\(member)" + (flags.isEmpty ? "" : ", \(flags)") + ")"
        }
        let sync = schema.syncRules.map { "\n    static constexpr freehold_sync_t sync = \(CWords.sync($0));" } ?? ""
        return """

            template <> struct freehold::Mapping<models::\(name)> {
                static constexpr std::string_view name = std::string_view(\(Literal.c(schema.name)), \(schema.name.utf8.count));\(sync)
                static constexpr auto members = std::make_tuple(\(rows.isEmpty ? "" : "\n" + rows.joined(separator: ",\n")));
            };

            """
    }
}
