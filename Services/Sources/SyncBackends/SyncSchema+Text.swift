import FreeholdMerge

extension SyncSchema.Kind {
    /// The word for it in tables and in JSON.
    public var text: String {
        switch self {
        case .plain: "plain"
        case .counter: "counter"
        case .set: "set"
        case .list: "list"
        case .map: "map"
        case .merged: "merged"
        }
    }

    public init?(text: String) {
        let all: [Self] = [.plain, .counter, .set, .list, .map, .merged]
        guard let kind = all.first(where: { $0.text == text }) else { return nil }
        self = kind
    }
}
