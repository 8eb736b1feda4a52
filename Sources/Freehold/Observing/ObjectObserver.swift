import FreeholdEngine

/// Somebody who hears of changes in an object.
final class ObjectObserver<Observed: ObjectBase>: Observer {
    private let object: Observed
    private let paths: ObservedPaths?
    private let block: (ObjectChange<Observed>) -> Void
    private var start: Snapshot?
    /// What each path leads to.
    private var observed: [ObservedObjects] = []
    private var table = 0
    private var finding: ObjectChange<Observed>?

    /// - Parameter start: the version from which on changes are told; nil for the one shown.
    init(_ object: Observed, _ paths: ObservedPaths?, since start: Snapshot?, _ block: @escaping (ObjectChange<Observed>) -> Void) {
        (self.object, self.paths, self.start, self.block) = (object, paths, start, block)
    }

    override var beginsAtOnce: Bool { true }
    override var isWaitingToTell: Bool { finding != nil }

    override func takeStart() -> Snapshot? {
        defer { start = nil }
        return start
    }

    override var interest: Interest {
        Interest(tables: observed.reduce(into: []) { $0.formUnion($1.tables) }, objects: [ObservedPlace(table: table, key: key)])
    }

    private var key: ObjectKey { ObjectKey(object._key) }
    private var model: ModelClass? { object.core.map { object.live(in: $0).model } }
    private var className: String { object.core.flatMap { core in model.map { core.schema.storedName(of: $0) } } ?? "" }

    override func begin(at snapshot: Snapshot) throws -> Bool {
        try look(at: snapshot, anew: false)
        return false
    }

    private func look(at snapshot: Snapshot, anew: Bool) throws {
        table = try snapshot.tableNumber(of: className)
        guard let observers = object.core?.observers else { return }
        observed = try paths?.paths.map { try observers.objects(of: className, [$0], at: snapshot, anew: anew) } ?? []
    }

    override func advance(_ step: VersionStep) throws -> Bool {
        if try step.changedTables() == nil { try look(at: step.newer, anew: true) }
        let change = try step.change(of: key, in: className)
        switch change?.kind {
        case .deleted, .replaced: finding = .deleted
        case .inserted, .changed, nil:
            let properties = try changed(change, step)
            if properties.isEmpty { return false }
            finding = .change(object, properties)
        }
        return true
    }

    private func changed(_ change: FreeholdEngine.ObjectChange?, _ step: VersionStep) throws -> [PropertyChange] {
        guard let model else { return [] }
        let places: [Int]
        if let paths {
            var found: Set<Int> = []
            for (path, observed) in zip(paths.all, observed) where try observed.touched(by: step).contains(key) {
                if let place = model.place(of: path.property) { found.insert(place) }
            }
            places = found.sorted()
        } else {
            guard let change else { return [] }
            let names = Set(try changedNames(change, step))
            places = model.properties.indices.filter { model.properties[$0].isStored && names.contains(model.properties[$0].storedName) }
        }
        return try places.map { try propertyChange(model.properties[$0], change, step) }
    }

    private func changedNames(_ change: FreeholdEngine.ObjectChange, _ step: VersionStep) throws -> [String] {
        let table = try step.newer.table(className), properties = table.schema.properties
        return zip(properties, table.columns).filter { change.didChange($1) }.map(\.0.name)
    }

    /// Collections have no old value, nor a new one, as they are the same, live.
    private func propertyChange(_ property: ModelProperty, _ change: FreeholdEngine.ObjectChange?, _ step: VersionStep) throws -> PropertyChange {
        if property.isCollection { return PropertyChange(name: property.name, oldValue: nil, newValue: nil) }
        let before = try change?.before ?? step.older.table(className).row(key)
        return PropertyChange(name: property.name, oldValue: try before.flatMap { try oldValue(property, $0, step) }, newValue: present(object[property.name]))
    }

    /// A value without the optionals around it; nil for none.
    private func present(_ value: Any?) -> Any? { value.flatMap { ValueContext.isNothing($0) ? nil : ValueContext.bare($0) } }

    private func oldValue(_ property: ModelProperty, _ row: Row, _ step: VersionStep) throws -> Any? {
        guard let core = object.core, let type = property.type as? any _Storable.Type else { return nil }
        let table = try step.older.table(className)
        // A property that was added since has none.
        guard table.schema.properties.contains(where: { $0.name == property.storedName }) else { return nil }
        let column = try table.column(property.storedName)
        if case .null = try row.value(column) { return nil }
        func load<Value: _Storable>(_ type: Value.Type) throws -> Any? { try Value._loadKnown(row.value(column), core) }
        return present(try load(type))
    }

    override func restart(at snapshot: Snapshot) throws -> Bool {
        try look(at: snapshot, anew: true)
        guard !object.isInvalidated, let model else {
            finding = .deleted
            return true
        }
        let changed = paths.map { paths in Set(paths.all.map(\.property)) }
        finding = .change(object, model.properties.filter { $0.isStored && changed?.contains($0.name) ?? true }.map { property in
            PropertyChange(name: property.name, oldValue: nil, newValue: property.isCollection ? nil : present(object[property.name]))
        })
        return true
    }

    override func tell() {
        guard let told = finding else { return }
        finding = nil
        if case .deleted = told { stop() }
        block(told)
    }

    override func forget() { finding = nil }
    override func fail(_ error: any Error) { block(.error(error)) }
}
