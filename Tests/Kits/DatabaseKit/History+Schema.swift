@testable import FreeholdEngine
import TestKit

extension History {
    /// Classes that keep their names: other steps know them by these.
    static let steady = ["Everything", "Part", "Shelf"] + related.map(\.name) + ["Eel"]

    /// Changes what classes and properties there are.
    mutating func reshape(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: try renameClass(transaction, &draft)
        case 1: try makeOrDropClass(transaction, &draft)
        case 2: try refuseReshaping(transaction, draft)
        default: try reshapeProperty(transaction, &draft)
        }
    }

    private mutating func renameClass(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        guard let name = draft.order.filter({ !Self.steady.contains($0) }).randomElement(using: &random) else { return }
        let new = "Class\(draft.newIdentity())"
        try transaction.renameClass(name, to: new)
        draft.renameClass(name, to: new)
    }

    private mutating func makeOrDropClass(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        let linked = Set(draft.classes.values.flatMap { $0.schema.properties.compactMap(\.linkTarget) })
        let free = draft.order.filter { !Self.steady.contains($0) && !linked.contains($0) }
        if let name = free.randomElement(using: &random), random.oneIn(2) {
            try transaction.dropClass(name)
            return draft.dropClass(name)
        }
        let schema = ClassSchema("Class\(draft.newIdentity())", [
            PropertySchema("value", .int, isIndexed: true), PropertySchema("text", .string), PropertySchema("owner", linkTo: "Everything"),
        ])
        try transaction.createClass(schema)
        draft.createClass(schema)
    }

    private mutating func reshapeProperty(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        let name = draft.order.filter { $0 == "Everything" || !Self.steady.contains($0) }.randomElement(using: &random)!, schema = draft.classes[name]!.schema
        let place = Int.random(in: 0..<schema.properties.count, using: &random), property = schema.properties[place]
        let isBound = schema.primaryKeys.contains(property.name) || property.isUnique || schema.indexes.contains { $0.properties.contains(property.name) }
        if isBound || !property.collections.isEmpty { return }
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where schema.properties.count > 2:
            try transaction.dropProperty(property.name, from: name)
            draft.dropProperty(place, name)
        case 1:
            let new = "property\(draft.newIdentity())"
            try transaction.renameProperty(property.name, to: new, in: name)
            draft.classes[name]!.schema.properties[place].name = new
        case 2 where property.type != .link: try retype(place, name, transaction, &draft)
        case 3 where !property.type.mayLink:
            let zero = Self.converted(.bool(false), property.type)
            try transaction.setNullable(!property.isNullable, property.name, in: name, replacingNullsBy: zero)
            draft.classes[name]!.schema.properties[place].isNullable.toggle()
            if property.isNullable { draft.map(place, name) { $0 == .null ? zero : $0 } }
        case 4 where property.type != .link && property.type != .data:
            try transaction.setIndexed(!property.isIndexed, property.name, in: name)
            draft.classes[name]!.schema.properties[place].isIndexed.toggle()
        default: break
        }
    }

    private mutating func retype(_ place: Int, _ name: String, _ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        let property = draft.classes[name]!.schema.properties[place]
        let type = [PropertyType.int, .string, .double, .bool, .date].randomElement(using: &random)!
        let isNullable = random.oneIn(2)
        func convert(_ value: Value) -> Value {
            value == .null && isNullable ? .null : Self.converted(value, type)
        }
        try transaction.changeType(of: property.name, in: name, to: type, isNullable: isNullable) { convert($0) }
        draft.classes[name]!.schema.properties[place].type = type
        draft.classes[name]!.schema.properties[place].isNullable = isNullable
        draft.classes[name]!.properties[place] = draft.newIdentity()
        draft.map(place, name, convert)
    }

    /// Some value of a type, made of another one.
    static func converted(_ value: Value, _ type: PropertyType) -> Value {
        let size = Int64(value == .null ? 0 : value.byteCount > 0 ? value.byteCount : "\(value)".utf8.count)
        switch type {
        case .int: return .int(size)
        case .string: return .string("size \(size)")
        case .double: return .double(Double(size) / 2)
        case .float: return .float(Float(size) / 2)
        case .bool: return .bool(size % 2 == 0)
        case .date: return .date(Timestamp(seconds: size))
        case .data: return .data([1, 2, 3])
        case .decimal: return .decimal(Decimal128(size))
        case .uuid: return .uuid(UniqueIdentifier(high: 1, low: UInt64(size)))
        default: return .objectId(ObjectIdentifier12(high: 1, low: UInt32(size)))
        }
    }

    /// Changes that must be refused and change nothing.
    private mutating func refuseReshaping(_ transaction: WriteTransaction, _ draft: NaiveDatabase) throws {
        let stored = draft.classes["Everything"]!
        try expect(.invalidArgument) { try transaction.dropProperty("id", from: "Everything") }
        if draft.classes.contains(where: { $0.key != "Everything" && $0.value.schema.properties.contains { $0.linkTarget == "Everything" } }) {
            try expect(.invalidArgument) { try transaction.dropClass("Everything") }
        }
        for (place, property) in stored.schema.properties.enumerated() where property.type != .link && property.name != "id" {
            let values = stored.objects.values.map { $0[place] }
            if property.isNullable, values.contains(.null) {
                try expect(.notNullable) { try transaction.setNullable(false, property.name, in: "Everything") }
            }
            if values.count > 1 {
                var count = 0
                try expect(.typeMismatch) {
                    try transaction.changeType(of: property.name, in: "Everything", to: .int, isNullable: false) { _ in
                        count += 1
                        return count == values.count ? nil : .int(1)
                    }
                }
                return
            }
        }
    }
}
