/// Creates classes that link to and extend one another, in whatever order they are given.
///
/// Classes without a superclass are created together; a subclass once the classes that it needs exist. Where subclasses
/// and links form a circle, a link is added after the class that it leads to, and stands last among its class's
/// properties.
public struct ClassCreation {
    private let transaction: WriteTransaction
    private var left: [ClassSchema] = []
    private var late = LateProperties()

    public init(in transaction: WriteTransaction) { self.transaction = transaction }

    /// Creates the classes, and then their full-text indexes and indexes of places. Classes that exist already have to be
    /// identical, but for the position of their links and for such indexes.
    ///
    /// - Throws: what `createClass` and `addProperty` do; the transaction may have some of the classes then.
    public mutating func create(_ wanted: [ClassSchema]) throws(FreeholdError) {
        let known = TextMap(uniqueKeysWithValues: existing.map { ($0.name, $0) })
        left = wanted.map(\.withoutDerived).filter { wanted in
            known[wanted.name].map { !$0.withoutDerived.isSame(butForLinks: wanted.plain) } ?? true
        }
        late = LateProperties()
        while !left.isEmpty {
            let there = Set(exact: existing.map(\.name)), roots = ClassSchema.together(left, there)
            if !roots.isEmpty {
                try transaction.createClasses(roots)
                let made = Set(exact: roots.map(\.name))
                left.removeAll { made.contains($0.name) }
            } else if let next = left.firstIndex(where: { $0.superclass != nil && $0.finds(there) }) {
                try transaction.createClass(left.remove(at: next))
            } else {
                // A circle, or a class is missing: then adding what refers to it reports which.
                try createWithoutLate(there)
            }
        }
        for (property, name) in late.properties { try transaction.addProperty(property, to: name) }
        for (index, name) in late.indexes { try transaction.addIndex(index, to: name) }
        try transaction.derived.addAll(of: wanted)
        try transaction.sync.markAll(of: wanted)
    }

    /// Every class there is: an import's are hidden.
    private var existing: [ClassSchema] { transaction.classes + transaction.hiddenClasses }

    /// Creates the classes without a superclass, or the first one whose superclass exists, without the links that wait.
    private mutating func createWithoutLate(_ there: Set<ExactText>) throws(FreeholdError) {
        let roots = left.filter { $0.superclass == nil }, known = there.union(Set(exact: roots.map(\.name)))
        if roots.isEmpty {
            let next = left.firstIndex { $0.superclass.map { there.contains($0) } ?? true } ?? 0
            return try transaction.createClass(late.postpone(left.remove(at: next), knowing: there))
        }
        try transaction.createClasses(roots.map { late.postpone($0, knowing: known) })
        left.removeAll { $0.superclass == nil }
    }
}

/// Properties and indexes of new classes that wait for other classes.
private struct LateProperties {
    private(set) var properties: [(PropertySchema, String)] = []
    private(set) var indexes: [(IndexSchema, String)] = []

    /// The class without its links to classes that do not exist yet.
    mutating func postpone(_ wanted: ClassSchema, knowing there: Set<ExactText>) -> ClassSchema {
        let late = wanted.properties.filter { property in
            property.linkTarget.map { !there.contains($0) && !$0.isSame(as: wanted.name) } ?? false
        }
        let names = Set(exact: late.map(\.name)), isLate = { (index: IndexSchema) in index.properties.contains { names.contains($0) } }
        properties += late.map { ($0, wanted.name) }
        indexes += wanted.indexes.filter(isLate).map { ($0, wanted.name) }
        var first = wanted
        first.properties.removeAll { names.contains($0.name) }
        first.indexes.removeAll(where: isLate)
        return first
    }
}

extension ClassSchema {
    /// Whether the other class is the same, if the positions of links to other classes do not count.
    fileprivate func isSame(butForLinks other: ClassSchema) -> Bool {
        let isLink = { (property: PropertySchema) in property.linkTarget.map { !$0.isSame(as: other.name) } ?? false }
        let links = properties.filter(isLink), others = other.properties.filter(isLink)
        var (one, two) = (self, other)
        one.properties.removeAll(where: isLink)
        two.properties.removeAll(where: isLink)
        return one == two && links.count == others.count && links.allSatisfy { others.contains($0) }
    }

    /// Whether `names` or the class itself include every class that it extends or links to.
    fileprivate func finds(_ names: Set<ExactText>) -> Bool {
        (properties.compactMap(\.linkTarget) + [superclass].compactMap { $0 }).allSatisfy { names.contains($0) || $0.isSame(as: name) }
    }

    /// The classes without a superclass that need only one another and the classes in `there`.
    fileprivate static func together(_ all: [ClassSchema], _ there: Set<ExactText>) -> [ClassSchema] {
        var found = all.filter { $0.superclass == nil }
        while true {
            let names = there.union(Set(exact: found.map(\.name))), fitting = found.filter { $0.finds(names) }
            if fitting.count == found.count { return found }
            found = fitting
        }
    }
}
