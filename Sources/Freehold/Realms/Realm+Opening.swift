import FreeholdEngine

extension RealmCore {
    /// The realm of a file for a place, opened if it is not.
    static func open(_ configuration: Realm.Configuration, _ confinement: Confinement) throws -> RealmCore {
        do { return try opened(configuration, confinement) } catch is SchemaUpdate.NeedsDeletion {
            let terms = try configuration.terms()
            do throws(FreeholdError) { try Database.deleteFiles(at: terms.path, inMemory: terms.isInMemory) } catch { throw RealmError(error) }
            return try opened(configuration, confinement)
        }
    }

    private static func opened(_ configuration: Realm.Configuration, _ confinement: Confinement) throws -> RealmCore {
        let terms = try configuration.terms()
        if !SharedDatabase.isOpen(terms) { try configuration.prepare(terms) }
        let shared = try SharedDatabase.open(terms)
        if let core = OpenRealms.shared.core(shared, confinement) { return core }
        let schema = try ModelSchema.of(configuration.objectTypes ?? ModelDiscovery.classes())
        let update = SchemaUpdate(planning: configuration.planning(schema, terms), shared: shared, block: configuration.migrationBlock, settings: configuration)
        if configuration.readOnly { try update.requireFitting() } else { try update.run() }
        return RealmCore(shared, schema, confinement, settings: configuration)
    }
}
