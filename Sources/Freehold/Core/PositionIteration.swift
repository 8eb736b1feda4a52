import FreeholdEngine

/// Iterates over a list or set of a managed object.
///
/// Outside a write transaction elements are read by position. When a write begins, or the realm refreshes, the elements that are still to come
/// are read and kept: what a loop changes does not change which elements it visits. Within a write transaction they are kept from the start.
final class PositionIteration: Detachable {
    let place: CollectionPlace
    private(set) var position = 0
    private let end: Int
    /// The elements still to come, once they are kept.
    private(set) var rest: ArraySlice<Value>?

    init(_ place: CollectionPlace) {
        self.place = place
        end = place.view(quietly: true)?.count ?? 0
        if place.core.isFrozen { return }
        if place.core.transaction != nil { detach() } else { place.core.iterations.add(self) }
    }

    deinit { place.core.iterations.remove(self) }

    /// Keeps the elements still to come.
    func detach() {
        // Nested collections are live: they are read by position.
        guard rest == nil, place.depth >= place.described.kind.collections.count else { return }
        var values: [Value] = []
        do { try place.forEachValue { values.append($0) } } catch { return }
        rest = values.dropFirst(position)
    }

    /// Moves on; returns the position of the next element, and the element if it was kept. Nil after the last.
    func next() -> (position: Int, kept: Value?)? {
        defer { position += 1 }
        if rest != nil { return rest?.popFirst().map { (position, $0) } }
        guard position < end, let count = place.view(quietly: true)?.count, position < count else { return nil }
        return (position, nil)
    }
}
