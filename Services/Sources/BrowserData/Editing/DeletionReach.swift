import FreeholdEngine

/// Finds what a deletion does besides: the objects that delete rules take along, and the links that become null.
///
/// It only counts, for previews and for the limits of an undo: the engine decides what is deleted. It stops where an
/// undo would keep too much.
struct DeletionReach {
    private let book: ClassBook
    private let effects: EditEffects

    init(_ book: ClassBook, _ effects: EditEffects) {
        self.book = book
        self.effects = effects
    }

    /// Follows the deletion of some objects of a class, or of its subclasses.
    func follow(_ keys: [ObjectKey], in entry: ClassEntry) throws {
        var doomed: Set<ObjectReference> = [], waiting: [(entry: ClassEntry, key: ObjectKey)] = []
        var order: [(entry: ClassEntry, key: ObjectKey)] = []
        for key in keys {
            guard effects.isUndoable else { return }
            if doomed.insert(entry.table.reference(to: key)).inserted { waiting.append((entry, key)) }
        }
        while let (declared, key) = waiting.popLast() {
            guard effects.isUndoable else { return }
            guard let row = try declared.table.row(key) else { continue }
            let own = declared.hasSubclasses ? try book.entry(row.className) : declared
            order.append((own, key))
            for (place, property) in own.schema.properties.enumerated() {
                effects.keep(key, own.name, bytes: try ValueMeasure.bytes(of: row, own.columns[place], property))
                guard effects.isUndoable else { return }
                guard property.type == .link, property.deleteRule == .cascade || book.isEmbedded(property),
                    let target = property.linkTarget else { continue }
                let targets = try book.entry(target)
                for linked in try row.value(own.columns[place]).links where doomed.insert(targets.table.reference(to: linked)).inserted {
                    waiting.append((targets, linked))
                }
            }
        }
        for (own, key) in order { try noteLinks(to: key, in: own, besides: doomed) }
    }

    private func noteLinks(to key: ObjectKey, in own: ClassEntry, besides doomed: Set<ObjectReference>) throws {
        for link in try book.links(to: own.name) {
            guard effects.isUndoable else { return }
            for source in try book.sources(of: link, to: key, in: own) where !doomed.contains(link.source.table.reference(to: source)) {
                guard let row = try link.source.table.row(source) else { continue }
                try effects.unlink(source, try row.className, link.property.name) {
                    try ValueMeasure.bytes(of: row, link.column, link.property) * 2
                }
            }
        }
    }
}

extension Value {
    /// The keys of the links in the value, in a property that links to one class only.
    var links: [ObjectKey] {
        switch self {
        case .link(let key): [key]
        case .list(let values), .set(let values): values.flatMap(\.links)
        case .map(let entries): entries.values.flatMap(\.links)
        default: []
        }
    }
}
