/// What is needed to open a realm again in another place.
struct RealmOrigin: Sendable {
    private let shared: SharedDatabase
    private let schema: ModelSchema
    private let settings: any Sendable
    private let confinement: Confinement

    init(_ core: RealmCore) {
        shared = core.shared
        schema = core.schema
        settings = core.settings
        confinement = core.frozen?.origin ?? core.confinement
    }

    /// The realm of the original queue or actor, if the caller is there; otherwise that of the calling thread.
    func open() -> RealmCore {
        var place = Confinement.current
        switch confinement {
        case .queue, .actor: if confinement.holds { place = confinement }
        case .thread, .frozen: break
        }
        return OpenRealms.shared.core(shared, place) ?? RealmCore(shared, schema, place, settings: settings)
    }
}
