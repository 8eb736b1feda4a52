import FreeholdEngine

extension SyncSchema {
    /// The synced classes among those that a file or a program declares, with the properties of their subclasses and of the embedded
    /// objects that they own.
    ///
    /// ```swift
    /// let schema = SyncSchema(declared: try database.snapshot().classes)
    /// ```
    /// Of classes that embed themselves, the properties of the first level are there: deeper ones have no name at the server.
    public init(declared: [ClassSchema]) {
        let families = Families(declared)
        // An object, also an embedded one, of a subclass says so in a register of its own.
        self.init(classes: declared.compactMap { root in
            guard root.superclass == nil, let rules = root.syncRules else { return nil }
            var properties = [Property(SyncNames.subclass)]
            families.add(root, rules, prefix: "", within: [], to: &properties)
            let key = root.primaryKeys.first.flatMap { name in root.properties.first { $0.name.isSame(as: name) } }
            return Class(root.name, conflict: rules.onConflict == .updateWins ? .updateWins : .deletionWins,
                         key: key.map { Key($0.name, $0.type) } ?? Key(), properties: properties)
        })
    }
}

/// Declared classes by the topmost class that they extend.
private struct Families {
    /// The classes of each family, in the order of their declarations, by the name of the topmost one.
    private let members: TextMap<[ClassSchema]>
    private let classes: DeclaredClasses

    init(_ declared: [ClassSchema]) {
        classes = DeclaredClasses(declared)
        var members = TextMap<[ClassSchema]>()
        for schema in declared { members[classes.topmost(schema).name, default: []].append(schema) }
        self.members = members
    }

    /// Adds the properties of a class, of those that extend it, and of the embedded objects that they own.
    ///
    /// - Parameter within: the embedded classes that contain this one.
    func add(_ root: ClassSchema, _ rules: SyncRules, prefix: String, within: [String], to properties: inout [SyncSchema.Property]) {
        let isTop = prefix.isEmpty
        for schema in members[root.name] ?? [] {
            for property in schema.properties where !isTop || !root.primaryKeys.contains(property.name) {
                let kind = isTop ? Self.kind(of: property, rules) : .plain
                properties.append(.init(prefix + property.name, kind, isUnique: isTop && property.isUnique, type: property.type,
                                        target: property.linkTarget))
                let target = property.linkTarget.flatMap { classes[$0] }
                guard property.collections.isEmpty, let target, target.isEmbedded else { continue }
                properties.append(.init(prefix + property.name + "." + SyncNames.subclass))
                let embedded = classes.topmost(target)
                if within.contains(embedded.name) { continue }
                add(embedded, rules, prefix: prefix + property.name + ".", within: within + [embedded.name], to: &properties)
            }
        }
    }

    private static func kind(of property: PropertySchema, _ rules: SyncRules) -> SyncSchema.Kind {
        switch property.collections.first {
        case .list: .list
        case .set: .set
        case .map: .map
        case nil: rules.counters.contains(property.name) ? .counter : rules.merged.contains(property.name) ? .merged : .plain
        }
    }
}
