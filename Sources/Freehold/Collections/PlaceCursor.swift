import FreeholdEngine

/// Iterates over the elements of a list or set of a managed object.
final class PlaceCursor<Element: RealmCollectionValue>: ElementCursor<Element> {
    private let iteration: PositionIteration
    /// The cursor over the kept elements, if they are objects.
    private var objects: KeyCursor<Element>?

    init(_ place: CollectionPlace) { iteration = PositionIteration(place) }

    override func next(after object: inout ObjectBase?, _ remaining: inout Int) -> Element? {
        let place = iteration.place
        guard place.core.enter() else { return nil }
        if objects == nil, iteration.rest != nil { objects = keptObjects() }
        if let objects { return objects.next(after: &object, &remaining) }
        return place.core.attempt(nil) {
            guard let (position, kept) = iteration.next() else { return nil }
            return try Element._element(of: place, at: .position(position)) {
                if let kept { return kept }
                return try place.view()?[position] ?? .null
            }
        }
    }

    private func keptObjects() -> KeyCursor<Element>? {
        guard Element.self is ObjectBase.Type, let rest = iteration.rest, let live = try? iteration.place.subject().live else { return nil }
        let keys = rest.compactMap { value in if case .link(let key) = value { key } else { nil } }
        return KeyCursor(keys, of: live, in: iteration.place.core)
    }
}
