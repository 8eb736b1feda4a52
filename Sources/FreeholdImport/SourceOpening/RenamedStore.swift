import FreeholdEngine

/// A store some of whose classes have other names.
final class RenamedStore: SourceStore {
    private let store: any SourceStore
    let classes: [SourceClass]
    let identity: SourceIdentity

    var format: String { store.format }
    var remarks: [SourceRemark] { store.remarks }
    var ownerlessLinks: Int { store.ownerlessLinks }
    var schemaVersion: UInt64? { store.schemaVersion }

    /// - Parameter names: by name of a class, or by its name in the source, the new one.
    /// - Throws: `.invalidOption` for a class that the store does not have.
    init(_ store: any SourceStore, _ names: TextMap<String>) throws(SourceError) {
        self.store = store
        var renamed: TextMap<String> = [:]
        for (old, new) in names.sortedByKey {
            guard let found = store.classes.first(where: { $0.schema.name.isSame(as: old) || $0.sourceName.isSame(as: old) }) else {
                throw SourceError(.invalidOption, "there is no class '\(old)' to be renamed; there are "
                    + store.classes.map(\.schema.name).joined(separator: ", "))
            }
            renamed[found.schema.name] = new
        }
        classes = store.classes.map { described in
            var changed = described, schema = described.schema
            schema.name = renamed[schema.name] ?? schema.name
            schema.superclass = schema.superclass.map { renamed[$0] ?? $0 }
            for place in schema.properties.indices {
                schema.properties[place].linkTarget = schema.properties[place].linkTarget.map { renamed[$0] ?? $0 }
            }
            changed.schema = schema
            return changed
        }
        // Under other names, an interrupted import cannot go on.
        identity = SourceIdentity(store.identity.bytes + classes.flatMap { Array("\($0.schema.name)\0".utf8) })
        var taken: Set<ExactText> = []
        if let described = classes.first(where: { $0.schema.name.isEmpty || ClassSchema.isHidden($0.schema.name) }) {
            throw SourceError(.invalidOption, "no class may be called '\(described.schema.name)'")
        }
        for described in classes where !taken.insert(ExactText(described.schema.name)).inserted {
            throw SourceError(.invalidOption, "two classes would be called '\(described.schema.name)'; give one of them another name")
        }
    }

    func objects(of place: Int, after key: Int64?) throws(SourceError) -> any SourceCursor { try store.objects(of: place, after: key) }

    func checkUnchanged() throws(SourceError) { try store.checkUnchanged() }
}
