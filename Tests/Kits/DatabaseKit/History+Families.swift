@testable import FreeholdEngine
import TestKit

/// Classes that extend others in a random history.
extension History {
    public static let related = [
        ClassSchema("Creature", [
            PropertySchema("title", .string, isIndexed: true), PropertySchema("weight", .double), PropertySchema("mate", linkTo: "Creature"),
        ]),
        ClassSchema("Bird", superclass: "Creature", [PropertySchema("wings", .int, isIndexed: true), PropertySchema("song", .string, isNullable: true, isIndexed: true)]),
        ClassSchema("Fish", superclass: "Creature", indexes: [IndexSchema(["title", "depth"])], [
            PropertySchema("depth", .int), PropertySchema("school", linkTo: "Fish", collections: [.list]),
        ]),
        ClassSchema("Parrot", superclass: "Bird", [PropertySchema("words", .string, collections: [.list]), PropertySchema("likes", linkTo: "Bird")]),
        ClassSchema("Nest", [
            PropertySchema("owner", linkTo: "Bird"), PropertySchema("eggs", linkTo: "Creature", collections: [.list]),
            PropertySchema("favourite", linkTo: "Parrot", deleteRule: .cascade), PropertySchema("names", linkTo: "Creature", collections: [.map]),
        ]),
    ]

    /// A class that comes and goes with its objects.
    private static let eel = ClassSchema("Eel", superclass: "Fish", [
        PropertySchema("volts", .int, isIndexed: true), PropertySchema("skin", .string), PropertySchema("prey", linkTo: "Creature"),
    ])

    /// Makes or drops a class that extends another one, or changes a property of it.
    mutating func changeFamily(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        guard draft.classes["Eel"] != nil else {
            try transaction.createClass(Self.eel)
            return draft.createClass(Self.eel)
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            try transaction.dropClass("Eel")
            for key in draft.classes["Eel"]!.objects.keys.sorted() { draft.delete("Eel", key) }
            draft.dropClass("Eel")
        case 1: try addProperty(to: "Eel", transaction, &draft)
        case 2:
            let place = draft.classes["Eel"]!.schema.properties.firstIndex { $0.name == "skin" || $0.name == "tint" }!
            let name = draft.classes["Eel"]!.schema.properties[place].name, isNullable = draft.classes["Eel"]!.schema.properties[place].isNullable
            try transaction.setNullable(!isNullable, name, in: "Eel", replacingNullsBy: .string("none"))
            draft.classes["Eel"]!.schema.properties[place].isNullable.toggle()
            if isNullable { draft.map(place, "Eel") { $0 == .null ? .string("none") : $0 } }
            try transaction.renameProperty(name, to: name == "skin" ? "tint" : "skin", in: "Eel")
            draft.classes["Eel"]!.schema.properties[place].name = name == "skin" ? "tint" : "skin"
        default:
            guard let place = draft.classes["Eel"]!.schema.properties.lastIndex(where: { $0.name.hasPrefix("added") }) else { return }
            let name = draft.classes["Eel"]!.schema.properties[place].name
            guard !draft.classes["Fish"]!.schema.properties.contains(where: { $0.name == name }) else { return }
            try transaction.dropProperty(name, from: "Eel")
            draft.dropProperty(place, "Eel")
        }
    }

    /// Gives a class of a family a property, and those that extend it.
    mutating func addProperty(to name: String, _ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        let types: [PropertyType] = [.int, .string, .double, .date, .bool, .decimal]
        let property = PropertySchema("added\(draft.newIdentity())", types.randomElement(using: &random)!, isNullable: random.oneIn(2), isIndexed: random.oneIn(2))
        try transaction.addProperty(property, to: name)
        let place = draft.classes[name]!.schema.properties.count, identity = draft.newIdentity(), filler = NaiveDatabase.filler(property)
        for member in draft.members(of: name) {
            draft.classes[member]!.schema.properties.insert(property, at: place)
            draft.classes[member]!.properties.insert(identity, at: place)
            for key in draft.classes[member]!.objects.keys { draft.classes[member]!.objects[key]!.insert(filler, at: place) }
        }
    }
}

/// The model's side of families: each class has the objects that are of no class which extends it, and all of their properties.
extension NaiveDatabase {
    /// The first of the classes that one extends, or itself.
    func root(of name: String) -> String {
        var name = name
        while let above = classes[name]?.schema.superclass { name = above }
        return name
    }

    /// A class and all that extend it.
    func members(of name: String) -> [String] {
        order.filter { other in
            var above: String? = other
            while let class_ = above, class_ != name { above = classes[class_]!.schema.superclass }
            return above == name
        }
    }

    /// Whether a class extends another one, or is extended.
    func isFamily(_ name: String) -> Bool { classes[name]!.schema.superclass != nil || members(of: name).count > 1 }

    /// The keys of all objects that a link to a class may lead to.
    func linkable(_ name: String) -> [Int64] { members(of: name).flatMap { classes[$0]!.objects.keys }.sorted() }

    /// The class of the object with a key, among a class and those that extend it.
    func concrete(_ name: String, _ key: Int64) -> String { members(of: name).first { classes[$0]!.objects[key] != nil } ?? name }

    /// The class as the whole of it is described: with what it inherits.
    func whole(_ schema: ClassSchema) -> ClassSchema {
        guard let above = schema.superclass.map({ classes[$0]!.schema }) else { return schema }
        var whole = schema
        whole.properties = above.properties + schema.properties
        whole.primaryKeys = above.primaryKeys
        whole.indexes = above.indexes + schema.indexes
        return whole
    }
}

extension Comparison {
    /// What a class and those that extend it have otherwise together.
    static func familyDifferences(_ name: String, _ model: NaiveDatabase, _ table: Table) throws -> [String] {
        let wanted = model.linkable(name)
        var found: [String] = [], seen: [Int64] = []
        try table.forEach { row in
            seen.append(row.key.rawValue)
            let own = model.concrete(name, row.key.rawValue)
            if try row.className != own { found.append("\(name) \(row.key) is a \(try row.className) instead of a \(own)") }
            return true
        }
        if seen != wanted { found.append("\(name) with its subclasses has \(seen.prefix(20)) instead of \(wanted.prefix(20))") }
        if table.count != wanted.count { found.append("\(name) with its subclasses counts \(table.count) instead of \(wanted.count)") }
        return found
    }
}
