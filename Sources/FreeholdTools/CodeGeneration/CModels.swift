import FreeholdEngine

/// A header for C and `freehold.h`: the definitions of all classes, a function that adopts them, and for each class a
/// structure with the numbers of its properties.
public struct CModels {
    private let outline: ModelOutline
    /// The prefixes of the classes' declarations.
    private let names: TextMap<String>

    /// Creates the printer for the classes of a snapshot.
    public init(_ classes: [ClassSchema]) {
        outline = ModelOutline(classes)
        var identifiers = Identifiers(reserved: []), names: TextMap<String> = [:]
        for schema in classes { names[schema.name] = "models_" + identifiers.take(Self.lowercased(schema.name)) }
        self.names = names
    }

    /// The source text.
    public var text: String {
        let own = outline.classes.map { definitions($0) }.joined(), found = outline.classes.map { numbers($0) }.joined()
        return """
            /* The classes of a Freehold database, as `freehold schema --format c` prints them.
             *
             * models_adopt creates them in another file, or makes sure that a file has them. models_NAME_find looks up the numbers that
             * functions of freehold.h take; numbers are those of one version of the file. */
            #ifndef FREEHOLD_MODELS_H
            #define FREEHOLD_MODELS_H

            #include <freehold.h>

            \(own)\(classes)\(found)
            #endif

            """
    }

    /// The properties that a class declares itself.
    private func definitions(_ schema: ClassSchema) -> String {
        guard !schema.properties.isEmpty else { return "" }
        let sync = outline.syncRules(schema)
        let rows = outline.keyFirst(schema.properties, schema.primaryKeys).map { property in
            "    { \(fields(property, isKey: schema.primaryKeys.has(property.name), sync).joined(separator: ", ")) },\n"
        }
        return """
            static const freehold_property_info_t \(names[schema.name] ?? "")_properties[] = {
            \(rows.joined())};


            """
    }

    private func fields(_ property: PropertySchema, isKey: Bool, _ sync: SyncRules?) -> [String] {
        var fields = [".size = sizeof(freehold_property_info_t)", ".name = \(Self.text(property.name))"]
        fields.append(".type = \(CWords.type(property.type))")
        let flags = CWords.flags(property, isKey: isKey, sync)
        if !flags.isEmpty { fields.append(".flags = \(flags)") }
        if let target = property.linkTarget { fields.append(".link_target = \(Self.text(target))") }
        if property.deleteRule != .nullify { fields.append(".delete_rule = \(CWords.rule(property.deleteRule))") }
        if !property.collections.isEmpty {
            fields.append(".collections = { \(property.collections.map(CWords.type).joined(separator: ", ")) }")
        }
        return fields
    }

    /// The definitions of all classes, and the function that adopts them.
    private var classes: String {
        guard !outline.classes.isEmpty else {
            return """
                /* The file has no class. */
                static inline freehold_error_code_t models_adopt(freehold_transaction_t *transaction)
                {
                    return freehold_schema_adopt(transaction, 0, NULL);
                }

                """
        }
        let rows = outline.classes.map { schema in
            var fields = [".size = sizeof(freehold_class_definition_t)", ".name = \(Self.text(schema.name))"]
            if let base = schema.superclass { fields.append(".superclass = \(Self.text(base))") }
            if !schema.properties.isEmpty {
                fields += [".property_count = \(schema.properties.count)", ".properties = \(names[schema.name] ?? "")_properties"]
            }
            if schema.isEmbedded { fields.append(".embedded = true") }
            if let rules = schema.syncRules { fields.append(".sync = \(CWords.sync(rules))") }
            return "    { \(fields.joined(separator: ", ")) },\n"
        }
        let remarks = outline.classes.flatMap { schema in
            schema.indexes.map { "/* Class \(ModelOutline.said(schema.name)): \($0.modelRemark) See freehold_class_add_index. */\n" }
        }
        let derived: [String] = outline.classes.flatMap { schema in
            let remarks = schema.fullTextIndexes.map(\.modelRemark) + schema.placeIndexes.map(\.modelRemark)
                + schema.vectorIndexes.map(\.modelRemark) + schema.collationIndexes.map(\.modelRemark)
            return remarks.map { "/* Class \(ModelOutline.said(schema.name)): \($0) */\n" }
        }
        return """
            \((remarks + derived).joined())static const freehold_class_definition_t models_classes[] = {
            \(rows.joined())};

            /* Adds the classes to a file that lacks them; does nothing to the file that this was printed for. */
            static inline freehold_error_code_t models_adopt(freehold_transaction_t *transaction)
            {
                return freehold_schema_adopt(transaction, \(outline.classes.count), models_classes);
            }

            """
    }

    /// The structure with a class's number and those of its properties, and the function that fills it in.
    private func numbers(_ schema: ClassSchema) -> String {
        let name = names[schema.name] ?? "", properties = outline.properties(schema)
        var identifiers = Identifiers(reserved: CWords.reserved + ["object_class", "code"])
        let members = properties.map { identifiers.take(CWords.member($0.name)) }
        let declared = zip(properties, members).map { property, member in
            "    freehold_property_t \(member); /* \(property.commentedType) */\n"
        }
        let found = zip(properties, members).map { property, member in
            "    if (code == FREEHOLD_OK) code = freehold_property_find("
                + "reader, found->object_class, \(Self.arguments(property.name)), &found->\(member));\n"
        }
        return """

            /* Class \(ModelOutline.said(schema.name))\(schema.remark.isEmpty ? "" : ": " + Literal.comment(schema.remark)). */
            typedef struct {
                freehold_class_t object_class;
            \(declared.joined())} \(name)_t;

            static inline freehold_error_code_t \(name)_find(const freehold_reader_t *reader, \(name)_t *found)
            {
                freehold_error_code_t code = freehold_class_find(reader, \(Self.arguments(schema.name)), &found->object_class);
            \(found.joined())    return code;
            }

            """
    }

    private static func lowercased(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) + 32) : $0 }))
    }

    /// A `freehold_text_t`.
    private static func text(_ name: String) -> String { "{ \(arguments(name)) }" }

    /// A string and its length.
    private static func arguments(_ name: String) -> String { "\(Literal.c(name)), \(name.utf8.count)" }
}

/// Words of C, and of `freehold.h`.
enum CWords {
    static func type(_ type: PropertyType) -> String {
        switch type {
        case .bool: "FREEHOLD_TYPE_BOOL"
        case .int: "FREEHOLD_TYPE_INT"
        case .float: "FREEHOLD_TYPE_FLOAT"
        case .double: "FREEHOLD_TYPE_DOUBLE"
        case .string: "FREEHOLD_TYPE_STRING"
        case .data: "FREEHOLD_TYPE_DATA"
        case .date: "FREEHOLD_TYPE_DATE"
        case .uuid: "FREEHOLD_TYPE_UUID"
        case .objectId: "FREEHOLD_TYPE_OBJECT_ID"
        case .link: "FREEHOLD_TYPE_LINK"
        case .decimal: "FREEHOLD_TYPE_DECIMAL"
        case .mixed: "FREEHOLD_TYPE_MIXED"
        }
    }

    static func type(_ kind: CollectionKind) -> String {
        switch kind {
        case .list: "FREEHOLD_TYPE_LIST"
        case .set: "FREEHOLD_TYPE_SET"
        case .map: "FREEHOLD_TYPE_MAP"
        }
    }

    static func rule(_ rule: DeleteRule) -> String {
        switch rule {
        case .nullify: "FREEHOLD_DELETE_NULLIFY"
        case .cascade: "FREEHOLD_DELETE_CASCADE"
        case .deny: "FREEHOLD_DELETE_DENY"
        }
    }

    /// The flags of a property; empty if there is none.
    static func flags(_ property: PropertySchema, isKey: Bool, _ sync: SyncRules?) -> String {
        var flags: [String] = []
        if property.isNullable { flags.append("FREEHOLD_PROPERTY_NULLABLE") }
        if property.isIndexed { flags.append("FREEHOLD_PROPERTY_INDEXED") }
        if isKey { flags.append("FREEHOLD_PROPERTY_PRIMARY_KEY") }
        if property.isUnique { flags.append("FREEHOLD_PROPERTY_UNIQUE") }
        if let sync, sync.counters.has(property.name) { flags.append("FREEHOLD_PROPERTY_COUNTER") }
        if let sync, sync.merged.has(property.name) { flags.append("FREEHOLD_PROPERTY_MERGED") }
        return flags.joined(separator: " | ")
    }

    /// How a class is synced.
    static func sync(_ rules: SyncRules) -> String {
        switch rules.onConflict {
        case .deletionWins: "FREEHOLD_SYNC_DELETION_WINS"
        case .updateWins: "FREEHOLD_SYNC_UPDATE_WINS"
        }
    }

    /// The name of a member for a property. Words in capitals may be macros, and those with two underscores are the
    /// compiler's.
    static func member(_ name: String) -> String {
        let member = Identifiers.identifier(name, keepsLetters: false)
        let isLikeMacro = member.utf8.allSatisfy { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } || member.hasPrefix("_")
        return isLikeMacro || member.contains("__") ? "m\(member)_" : member
    }

    /// The keywords of C and C++, and words that are macros in some system's headers.
    static let reserved = """
        alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class \
        compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype \
        default delete do double dynamic_cast else enum explicit export extern false float for friend goto if \
        inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected \
        public register reinterpret_cast requires restrict return short signed sizeof static static_assert \
        static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned \
        using virtual void volatile wchar_t while xor xor_eq typeof typeof_unqual asm linux unix i386 errno stdin \
        stdout stderr assert offsetof major minor makedev signbit isnan isinf final override import module complex \
        imaginary noreturn
        """.split(separator: " ").map(String.init)
}
