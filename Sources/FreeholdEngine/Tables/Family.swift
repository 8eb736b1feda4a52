/// Classes that share a table: its own, the root, and all that extend it.
///
/// 1. The table's columns are the properties of all of them. Each property says which subclass declares it (`owner`); nil is the
///    root. Its column is null in objects whose class does not have it, also where the property is required.
/// 2. A hidden column has the class of each object: the number of the subclass, null for the root itself. A table whose class nobody
///    extends has no such column.
/// 3. The table's root counts the sealed objects of each subclass.
/// 4. An object's class never changes.
final class Family: Sendable {
    /// The root first, then by number.
    let members: [FamilyMember]
    /// The hidden column.
    let classColumn: Int

    /// So many classes may extend one another, and share a table.
    static let maximumDepth = 32, maximumCount = 256

    /// Nil if there is no hidden column, or too many classes.
    init?(_ root: UInt32, _ name: String, _ heirs: [StoredHeir], _ properties: [StoredProperty], _ layout: RowLayout) {
        guard heirs.count < Self.maximumCount, let column = properties.firstIndex(where: \.isClass) else { return nil }
        classColumn = column
        // The numbers of the classes above each, the root first, and its own last. A class is younger than the one it extends.
        var lineages = [(heir: StoredHeir(number: root, name: name, superclass: root), line: [root])]
        for heir in heirs {
            let above = lineages.first { $0.heir.number == heir.superclass }?.line ?? [root]
            lineages.append((heir, above + [heir.number]))
        }
        members = lineages.map { FamilyMember($0.heir, above: $0.line, lineages, properties, layout) }
    }

    func member(_ number: UInt32) -> FamilyMember? { members.first { $0.number == number } }

    /// The class that the hidden column names: 0 stands for the root.
    func member(tagged tag: Int64) -> FamilyMember? { members.first { $0.tag == tag } }

    /// Whether objects of the class so tagged have the properties of another one.
    func isKind(_ tag: Int64, of number: UInt32) -> Bool { member(number).map { $0.scope.contains(tag) } ?? false }
}

/// A class that extends another one, as its table's class knows it.
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
    /// What the hidden column has for its objects, null being 0. (No subclass is the first class of a file.)
    let tag: Int64
    /// The columns that its objects have: those of the root first.
    let columns: [Int]
    /// Its objects and those of the classes that extend it; its own only.
    let scope: ClassScope
    let exactScope: ClassScope
    /// How many classes it extends.
    let depth: Int
    private let row: MemberRow

    /// A new object.
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

    /// The place of a property of the class in the table, one of those it extends included.
    func index(of property: String, _ stored: StoredClass) throws(FreeholdError) -> Int {
        if let index = columns.first(where: { stored.properties[$0].name.isSame(as: property) }) { return index }
        throw FreeholdError(.unknownProperty, "class '\(name)' has no property '\(property)'"
            + suggestion(for: property, among: columns.map { stored.properties[$0].name }))
    }
}

/// Keeps the memory of a template.
///
/// Safe: it is written once, before anybody else has it, and freed with this.
private final class MemberRow: @unchecked Sendable {
    let template: RowTemplate

    init(_ template: RowTemplate) { self.template = template }

    deinit { template.deallocate() }
}

/// Which objects of a table are meant: those of one class of its family, with the classes that extend it or without.
final class ClassScope: Sendable {
    let number: UInt32
    /// What the hidden column has for them, 0 standing for null.
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

    /// Whether all objects that have a property are among them.
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
    /// Classes that know who extends them, and for each the number of its table; whatever a file says of them.
    static func join(_ given: [StoredClass]) -> (classes: [StoredClass], tables: [Int]) {
        var tables = Array(given.indices)
        var heirs: [Int: [StoredHeir]] = [:]
        // A class is younger than the one it extends, so that one's table is known.
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

extension TableState {
    /// The class of an object as the hidden column tells it: 0 for the table's own, also where nobody extends that.
    @inline(__always)
    func tag(_ place: RowPlace) throws(FreeholdError) -> Int64 {
        guard let family = stored.family else { return 0 }
        return try integer(place, family.classColumn)
    }

    /// Whether an object's class has a property of the table.
    @inline(__always)
    func has(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Bool {
        guard let owner = stored.properties[column].owner else { return true }
        return try isKind(place, of: owner)
    }

    /// Whether an object is of a class or of one that extends it.
    func isKind(_ place: RowPlace, of number: UInt32) throws(FreeholdError) -> Bool {
        try stored.family?.isKind(tag(place), of: number) ?? (number == stored.number)
    }

    /// Whether an index has an object: that of a subclass has those of the subclass.
    func isFiled(_ place: RowPlace, in index: StoredIndex) throws(FreeholdError) -> Bool {
        guard let owner = index.owner else { return true }
        return try isKind(place, of: owner)
    }

    /// How many objects are of the classes meant: as the root counts them, and those of the tail, which are few.
    func count(in scope: ClassScope) -> Int {
        guard let family = stored.family else { return count }
        var sum = scope.tags.reduce(0) { $0 + root.sealedCount(of: $1) }
        for tail in tails { for row in 0..<tail.count where scope.contains(tag(of: tail.row(row), family)) { sum += 1 } }
        if let buffer { for row in 0..<buffer.count where scope.contains(tag(of: buffer.row(row), family)) { sum += 1 } }
        return sum
    }

    /// The same as `tag` of a row in the tail, 0 if it is damaged.
    func tag(of row: RowView, _ family: Family) -> Int64 {
        guard family.classColumn < row.columns, row.fits(stored.layout), !row.isNull(family.classColumn) else { return 0 }
        // Safe: the slot lies within the row, as `fits` has found.
        return row.slot(family.classColumn, stored.layout).loadUnaligned(as: Int64.self)
    }

    /// Whether a column's tree has an object with this value.
    func files(_ place: RowPlace, _ column: Int, _ value: Value) throws(FreeholdError) -> Bool {
        let property = stored.properties[column]
        if value == .null, property.owner != nil, try !has(place, column) { return false }
        return property.files(value)
    }

    /// The name of an object's class.
    func className(_ place: RowPlace) throws(FreeholdError) -> String {
        guard let family = stored.family else { return stored.name }
        if let member = family.member(tagged: try tag(place)) { return member.name }
        throw FreeholdError(.corrupt, "object \(place.key) is of class number \(try tag(place)), which does not extend '\(stored.name)'; "
            + "run `freehold check`")
    }
}
