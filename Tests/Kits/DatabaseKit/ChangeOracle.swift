@testable import FreeholdEngine
import TestKit

/// Holds the change feed between two snapshots against the models of their versions.
public enum ChangeOracle {
    /// What is wrong with the feed from `old` to `new`, or nothing: applied to the old model it must give the new one, and
    /// it must not tell more than that needs.
    public static func complaints(_ old: (model: NaiveDatabase, snapshot: Snapshot), _ new: (model: NaiveDatabase, snapshot: Snapshot),
                                  _ random: inout SeededRandom) throws -> [String] {
        var found: [String] = []
        let changes = try new.snapshot.changes(since: old.snapshot)
        for name in new.model.order {
            let after = new.model.classes[name]!, before = old.model.classes.values.first { $0.identity == after.identity }
            guard let feed = changes[name] else {
                if !same(before, after) { found.append("\(name): nothing told") }
                continue
            }
            // Of a class that extends another one only what it declares itself is told.
            if after.schema.superclass == nil {
                let isSame = feed.after?.unsynced == after.schema && feed.before?.unsynced == before?.schema
                if !isSame { found.append("\(name): other schemas told") }
                found += properties(feed, before, after)
            }
            found += try check(feed, before, after)
            found += try checkPart(feed, before, after, &random)
            if found.count > 10 { break }
        }
        return found
    }

    /// Sequences are no part of the feed.
    private static func same(_ before: NaiveDatabase.Class?, _ after: NaiveDatabase.Class) -> Bool {
        var before = before
        before?.sequences = after.sequences
        return before == after
    }

    /// What an object of the old model would have in each property of the new class.
    private static func lifted(_ values: [Value], _ before: NaiveDatabase.Class, _ after: NaiveDatabase.Class) -> [Value] {
        after.described.map { property in
            before.properties.firstIndex(of: property.identity).map { values[$0] } ?? NaiveDatabase.filler(property.schema)
        }
    }

    private static func properties(_ feed: ClassChanges, _ before: NaiveDatabase.Class?, _ after: NaiveDatabase.Class) -> [String] {
        let was = before?.described ?? [], now = after.described
        var expected: [[PropertySchema?]] = []
        for property in was {
            let other = now.first { $0.identity == property.identity }?.schema
            if other != property.schema { expected.append([property.schema, other]) }
        }
        for property in now where !was.contains(where: { $0.identity == property.identity }) { expected.append([nil, property.schema]) }
        return feed.properties.map { [$0.before, $0.after] } == expected ? [] : ["\(after.schema.name): other properties told"]
    }

    private static func check(_ feed: ClassChanges, _ before: NaiveDatabase.Class?, _ after: NaiveDatabase.Class) throws -> [String] {
        var found: [String] = []
        var objects = before.map { before in before.objects.mapValues { lifted($0, before, after) } } ?? [:]
        let columns = feed.columns
        var last: ObjectKey?
        var counts = ChangeCounts()
        func isSame(_ key: Int64) -> Bool { before?.births[key] == after.births[key] }
        try feed.forEach { change in
            if let last, change.key <= last { found.append("\(change.key) is told after \(last)") }
            last = change.key
            let key = change.key.rawValue, old = objects[key]
            switch change.kind {
            case .inserted:
                counts.inserted += 1
                if old != nil || change.before != nil { found.append("\(key) is told as inserted") }
                objects[key] = try after.schema.properties.indices.map { try change.after!.value(columns[$0]) }
            case .deleted:
                counts.deleted += 1
                if old == nil || change.after != nil { found.append("\(key) is told as deleted") }
                objects[key] = nil
            case .replaced:
                counts.replaced += 1
                if old == nil || isSame(key) { found.append("\(key) is told as replaced") }
                objects[key] = try after.schema.properties.indices.map { try change.after!.value(columns[$0]) }
            case .changed:
                counts.changed += 1
                if !isSame(key) { found.append("\(key) is told as changed, and is another object") }
                guard var values = old else {
                    found.append("\(key) is told as changed")
                    break
                }
                if change.changedColumns.isEmpty { found.append("\(key) changed in no column") }
                for column in change.changedColumns {
                    let value = try change.after!.value(column), place = columns.firstIndex(of: column)!
                    if values[place].isIdentical(to: value) || !change.didChange(column) { found.append("\(key): column \(place) did not change") }
                    if column.isCollection { found += try collectionComplaints(change, column, from: values[place], to: value) }
                    values[place] = value
                }
                objects[key] = values
            }
            return found.count < 10
        }
        let others = objects.keys.filter { before?.objects[$0] != nil && !isSame($0) }.count
        if found.isEmpty, counts.replaced != others { found.append("\(counts.replaced) are told as replaced instead of \(others)") }
        if found.isEmpty, objects != after.objects {
            let wrong = Set(objects.keys).union(after.objects.keys).filter { objects[$0] != after.objects[$0] }.sorted()
            found.append("applied, objects \(wrong.prefix(5)) are not as they should be")
        }
        if try found.isEmpty && feed.counts() != counts { found.append("counted \(try feed.counts()) instead of \(counts)") }
        return found.map { "\(after.schema.name): \($0)" }
    }

    /// Asks for some of the properties only.
    private static func checkPart(_ feed: ClassChanges, _ before: NaiveDatabase.Class?, _ after: NaiveDatabase.Class,
                                  _ random: inout SeededRandom) throws -> [String] {
        var wanted: [Int] = []
        for place in after.schema.properties.indices where random.oneIn(3) { wanted.append(place) }
        var expected: [Int64] = []
        for key in Set(before.map { Array($0.objects.keys) } ?? []).union(after.objects.keys) {
            if let before, let old = before.objects[key], let new = after.objects[key] {
                let old = lifted(old, before, after)
                if wanted.allSatisfy({ old[$0].isIdentical(to: new[$0]) }), before.births[key] == after.births[key] { continue }
            }
            expected.append(key)
        }
        var told: [Int64] = []
        try feed.forEach(properties: wanted.map { after.schema.properties[$0].name }) { change in
            told.append(change.key.rawValue)
            return true
        }
        return told == expected.sorted() ? [] : ["\(after.schema.name): of properties \(wanted) \(told.count) told instead of \(expected.count)"]
    }
}

extension NaiveDatabase.Class {
    var described: [(identity: Int, schema: PropertySchema)] { Array(zip(properties, schema.properties)) }
}

extension NaiveDatabase {
    /// What an object has in a property it was made without.
    static func filler(_ property: PropertySchema) -> Value {
        if let kind = property.collections.first { return kind == .list ? .list([]) : kind == .set ? .set([]) : .map([:]) }
        if property.isNullable { return .null }
        switch property.type {
        case .bool: return .bool(false)
        case .int: return .int(0)
        case .float: return .float(0)
        case .double: return .double(0)
        case .string: return .string("")
        case .data: return .data([])
        case .date: return .date(Timestamp(seconds: 0))
        case .uuid: return .uuid(UniqueIdentifier(high: 0, low: 0))
        case .objectId: return .objectId(ObjectIdentifier12(high: 0, low: 0))
        case .decimal: return .decimal(.zero)
        case .link, .mixed: return .null
        }
    }
}
