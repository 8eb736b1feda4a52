import FreeholdEngine

/// An observer of an object, or of a projection of it.
class ObjectObserver<Shown>: Observer {
    let object: ObjectBase
    private let shown: Shown
    private let paths: ObservedPaths?
    private let block: (ObjectChange<Shown>) -> Void
    private var start: Snapshot?
    /// The objects that each path leads over.
    private var observed: [ObservedObjects] = []
    private var table = 0
    private var finding: ObjectChange<Shown>?

    /// - Parameters:
    ///   - shown: what the block receives.
    ///   - start: the version from which on changes are reported; nil for the one shown.
    init(_ object: ObjectBase, shownAs shown: Shown, _ paths: ObservedPaths?, since start: Snapshot?, _ block: @escaping (ObjectChange<Shown>) -> Void) {
        (self.object, self.shown, self.paths, self.start, self.block) = (object, shown, paths, start, block)
    }

    override final var beginsAtOnce: Bool { true }
    override final var isWaitingToTell: Bool { finding != nil }

    override final var isInvalidated: Bool { object.isStale }
    override final func takeStart() -> Snapshot? {
        defer { start = nil }
        return start
    }

    override final var interest: Interest {
        Interest(tables: observed.reduce(into: []) { $0.formUnion($1.tables) }, objects: [ObservedPlace(table: table, key: key)])
    }

    final var key: ObjectKey { ObjectKey(object._key) }
    final var model: ModelClass? { object.core.map { object.live(in: $0).model } }
    private var className: String { object.core.flatMap { core in model.map { core.schema.storedName(of: $0) } } ?? "" }

    override final func begin(at snapshot: Snapshot) throws -> Bool {
        try look(at: snapshot)
        return false
    }

    private func look(at snapshot: Snapshot) throws {
        table = try snapshot.tableNumber(of: className)
        guard let observers = object.core?.observers else { return }
        observed = try paths?.paths.map { try observers.observed.objects(of: className, observing: [$0], at: snapshot) } ?? []
    }

    override final func advance(_ step: VersionStep) throws -> Bool {
        if try step.changedTables() == nil { try look(at: step.newer) }
        let change = try step.change(of: key, in: className)
        switch change?.kind {
        case .deleted, .replaced: finding = .deleted
        case .inserted, .changed, nil:
            let properties = try changed(change, step)
            if properties.isEmpty { return false }
            finding = .change(shown, properties)
        }
        return true
    }

    /// The changes of the object's properties to report for a step, which may have changed some.
    func changed(_ change: FreeholdEngine.ObjectChange?, _ step: VersionStep) throws -> [PropertyChange] {
        guard let model else { return [] }
        let places: [Int]
        if let touched = try touched(by: step) {
            places = Set(touched.compactMap { model.place(of: $0.text) }).sorted()
        } else {
            guard let change else { return [] }
            let names = Set(exact: change.changedProperties(of: try step.newer.table(className)))
            places = model.properties.indices.filter { model.properties[$0].isStored && names.contains(model.properties[$0].storedName) }
        }
        return try places.map { try propertyChange(model.properties[$0], change, step) }
    }

    /// The first properties of the paths on which something changed; nil if there are no paths.
    final func touched(by step: VersionStep) throws -> Set<ExactText>? {
        guard let paths else { return nil }
        var found: Set<ExactText> = []
        for (path, observed) in zip(paths.all, observed) where try observed.touched(by: step).contains(key) { found.insert(path.property) }
        return found
    }

    /// The change of a property. For collections it has no old or new value: they are live, and the same before and
    /// after.
    private func propertyChange(_ property: ModelProperty, _ change: FreeholdEngine.ObjectChange?, _ step: VersionStep) throws -> PropertyChange {
        if property.isCollection { return PropertyChange(name: property.name, oldValue: nil, newValue: nil) }
        let before = try change?.before ?? step.older.table(className).row(key)
        return PropertyChange(name: property.name, oldValue: try before.flatMap { try oldValue(property, $0, step) }, newValue: present(object[property.name]))
    }

    /// A value without its optionals; nil if it is nil.
    final func present(_ value: Any?) -> Any? { value.flatMap { ValueContext.isNothing($0) ? nil : ValueContext.bare($0) } }

    private func oldValue(_ property: ModelProperty, _ row: Row, _ step: VersionStep) throws -> Any? {
        guard let core = object.core, let type = property.valueType else { return nil }
        let table = try step.older.table(className)
        // A property that was added since, or had another type, has no old value.
        guard table.schema.properties.contains(where: { $0.name.isSame(as: property.storedName) && property.fits($0) }) else { return nil }
        let column = try table.column(property.storedName)
        if case .null = try row.value(column) { return nil }
        func load<Value: _Storable>(_ type: Value.Type) throws -> Any? { try Value._loadKnown(row.value(column), core) }
        return present(try load(type))
    }

    override final func restart(at snapshot: Snapshot) throws -> Bool {
        try look(at: snapshot)
        finding = object.isInvalidated ? .deleted : .change(shown, everything(of: paths.map { Set(exact: $0.all.map(\.property)) }))
        return true
    }

    /// All properties, or the named ones, without their old values.
    func everything(of named: Set<ExactText>?) -> [PropertyChange] {
        guard let model else { return [] }
        return model.properties.filter { $0.isStored && named?.contains($0.name) ?? true }.map { property in
            PropertyChange(name: property.name, oldValue: nil, newValue: property.isCollection ? nil : present(object[property.name]))
        }
    }

    override final func tell() {
        guard let told = finding else { return }
        finding = nil
        if case .deleted = told { stop() }
        block(told)
    }

    override final func forget() {
        if case .deleted? = finding { stop() }
        finding = nil
    }

    override final func fail(_ error: any Error) -> Bool {
        block(.error(error))
        return false
    }
}
