/// Classes that share a table: the root, whose table it is, and all classes that extend it.
///
/// 1. The table's columns are the properties of all of them. Each property names the subclass that declares it
/// (`owner`); nil is the root. Its column is null in objects whose class does not have it, even where the property is
/// required.
/// 2. A hidden column holds the class of each object: the number of the subclass, null for the root itself. A table
/// whose class has no subclass has no such column.
/// 3. The table's root counts the sealed objects of each subclass.
/// 4. An object's class never changes.
final class Family: Sendable {
    /// The classes: the root first, then by number.
    let members: [FamilyMember]
    /// The hidden column.
    let classColumn: Int

    /// The maximum depth of inheritance, and the maximum number of classes that share a table.
    static let maximumDepth = 32, maximumCount = 256

    /// Nil if there is no hidden column, or if there are too many classes.
    init?(_ root: UInt32, _ name: String, _ heirs: [StoredHeir], _ properties: [StoredProperty], _ layout: RowLayout) {
        guard heirs.count < Self.maximumCount, let column = properties.firstIndex(where: \.isClass) else { return nil }
        classColumn = column
        // The numbers of the classes above each class, the root first, then its own. A class is younger than the one it
        // extends.
        var lineages = [(heir: StoredHeir(number: root, name: name, superclass: root), line: [root])]
        for heir in heirs {
            let above = lineages.first { $0.heir.number == heir.superclass }?.line ?? [root]
            lineages.append((heir, above + [heir.number]))
        }
        members = lineages.map { FamilyMember($0.heir, above: $0.line, lineages, properties, layout) }
    }

    func member(_ number: UInt32) -> FamilyMember? { members.first { $0.number == number } }

    /// The class with this tag in the hidden column: 0 represents the root.
    func member(tagged tag: Int64) -> FamilyMember? { members.first { $0.tag == tag } }

    /// Whether objects of the class with this tag have the properties of another class.
    func isKind(_ tag: Int64, of number: UInt32) -> Bool { member(number).map { $0.scope.contains(tag) } ?? false }
}

/// A subclass, as stored with its table's class.
struct StoredHeir: Sendable, Equatable {
    let number: UInt32
    let name: String
    /// The class it extends.
    let superclass: UInt32
}

/// One class of a family.
final class FamilyMember: Sendable {
    let number: UInt32
    let name: String
    /// The value of the hidden column for its objects; 0 represents null. (No subclass is the first class of a file.)
    let tag: Int64
    /// The columns of its objects: those of the root first.
    let columns: [Int]
    /// The scope of its objects and those of its subclasses; the scope of its own objects only.
    let scope: ClassScope
    let exactScope: ClassScope
    /// The number of classes it extends.
    let depth: Int
    private let row: MemberRow

    /// The template of a new object.
    var template: RowTemplate { row.template }

    fileprivate init(_ heir: StoredHeir, above: [UInt32], _ all: [(heir: StoredHeir, line: [UInt32])],
                     _ properties: [StoredProperty], _ layout: RowLayout) {
        let root = above[0]
        number = heir.number
        name = heir.name
        func tag(_ number: UInt32) -> Int64 { number == root ? 0 : Int64(number) }
        depth = above.count - 1
        let ownTag = tag(heir.number)
        self.tag = ownTag
        let columns = above.flatMap { number in
            properties.indices.filter { !properties[$0].isClass && (properties[$0].owner ?? root) == number }
        }
        self.columns = columns
        let below = all.filter { $0.line.contains(heir.number) }
        scope = ClassScope(number: heir.number, tags: below.map { tag($0.heir.number) }, isExact: false)
        exactScope = ClassScope(number: heir.number, tags: [ownTag], isExact: true)
        row = MemberRow(RowTemplate(properties, slots: layout.slots, byteCount: layout.fixedBytes,
                                    member: heir.number == root ? nil : (ownTag, Set(columns))))
    }

    /// The column of a property of the class, including inherited ones.
    func index(of property: String, _ stored: StoredClass) throws(FreeholdError) -> Int {
        if let index = columns.first(where: { stored.properties[$0].name.isSame(as: property) }) { return index }
        throw FreeholdError(.unknownProperty, "class '\(name)' has no property '\(property)'"
            + suggestion(for: property, among: columns.map { stored.properties[$0].name }))
    }
}

/// Owns the memory of a template.
///
/// Safe: it is written once, before it is shared, and freed with this.
private final class MemberRow: @unchecked Sendable {
    let template: RowTemplate

    init(_ template: RowTemplate) { self.template = template }

    deinit { template.deallocate() }
}

/// A selection of a table's objects: those of one class of its family, with or without its subclasses.
final class ClassScope: Sendable {
    let number: UInt32
    /// The hidden column's values for them; 0 represents null.
    let tags: [Int64]
    let isExact: Bool
    private let bounds: ClosedRange<Int64>

    fileprivate init(number: UInt32, tags: [Int64], isExact: Bool) {
        self.number = number
        self.tags = tags
        self.isExact = isExact
        bounds = (tags.min() ?? 0)...(tags.max() ?? 0)
    }

    @inline(__always) func contains(_ tag: Int64) -> Bool { tags.count == 1 ? tag == tags[0] : tags.contains(tag) }

    /// Whether it includes all objects that have a property.
    func hasAll(of property: StoredProperty) -> Bool { property.owner.map { contains(Int64($0)) && !isExact } ?? false }

    /// Whether a leaf of the hidden column may have one of them.
    func mayMeet(_ leaf: PackedIntegers) -> Bool {
        if tags.contains(0), leaf.nullCount > 0 { return true }
        guard let found = leaf.bounds() else { return false }
        return found.overlaps(bounds)
    }

    /// Whether all rows of such a leaf are of them.
    func holdsAll(of leaf: PackedIntegers) -> Bool {
        guard leaf.nullCount == 0, let found = leaf.bounds() else { return false }
        return found.lowerBound == found.upperBound && contains(found.lowerBound)
    }
}

extension Family {
    /// Links classes to their subclasses, and finds the number of each class's table; accepts whatever a file says of
    /// them.
    static func join(_ given: [StoredClass]) -> (classes: [StoredClass], tables: [Int]) {
        var tables = Array(given.indices)
        var heirs: [Int: [StoredHeir]] = [:]
        // A class is younger than the one it extends, so the table of the latter is known.
        for (number, stored) in given.enumerated() {
            guard let superclass = stored.superclass, Int(superclass) < number else { continue }
            tables[number] = tables[Int(superclass)]
            heirs[tables[number], default: []].append(StoredHeir(number: stored.number, name: stored.name, superclass: superclass))
        }
        let isPlain = heirs.isEmpty && !given.contains { !$0.heirs.isEmpty }
        return (isPlain ? given : given.enumerated().map { number, stored in
            let known = heirs[number] ?? []
            return stored.heirs == known ? stored : stored.with(heirs: known)
        }, tables)
    }
}
