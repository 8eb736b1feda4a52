import FreeholdEngine

/// Schemas that a tab may have known, by their stamps.
final class SchemaMemory {
    private var known: [(stamp: String, classes: [ClassSchema])] = []

    private static let maximum = 8

    func note(_ classes: [ClassSchema]) {
        let stamp = SchemaStamp.text(of: classes)
        known.removeAll { $0.stamp == stamp }
        known.append((stamp, classes))
        if known.count > Self.maximum { known.removeFirst() }
    }

    /// Whether the classes concerned by a request are those that its tab knew. Of a schema that was never noted all
    /// classes have to be.
    func isCurrent(_ request: EditRequest, _ present: [ClassSchema]) -> Bool {
        defer { note(present) }
        if SchemaStamp.text(of: present) == request.stamp { return true }
        guard let then = known.first(where: { $0.stamp == request.stamp })?.classes else { return false }
        let names = Set(exact: request.operations.map(\.className))
        return Self.reach(of: names, then) == Self.reach(of: names, present)
    }

    /// The declarations of some classes, of those that they extend and that extend them, and of those that these link
    /// to.
    static func reach(of names: Set<ExactText>, _ classes: [ClassSchema]) -> [ClassSchema] {
        let byName = TextMap(classes.map { ($0.name, $0) }) { first, _ in first }
        func base(_ schema: ClassSchema) -> String {
            var last = schema, steps = 0
            while let above = last.superclass.flatMap({ byName[$0] }), steps < classes.count { (last, steps) = (above, steps + 1) }
            return last.name
        }
        let bases = Set(exact: classes.filter { names.contains($0.name) }.map(base))
        let family = classes.filter { bases.contains(base($0)) }
        let targets = Set(exact: family.flatMap { $0.properties.compactMap(\.linkTarget) })
        return classes.filter { schema in bases.contains(base(schema)) || targets.contains(schema.name) }
    }
}

extension EditOperation {
    /// The class that the operation names.
    var className: String {
        switch kind {
        case .set(let object, _, _, _), .delete(let object, _): object.className
        case .add(let className, _, _), .setAll(let className, _, _, _), .deleteAll(let className, _): className
        case .insert(let place, _, _), .replace(let place, _, _, _), .remove(let place, _, _), .move(let place, _, _, _),
            .embed(let place, _, _, _, _): place.object.className
        }
    }
}
