import FreeholdEngine
import Synchronization

/// The values of a collection, sorted or distinct.
final class ValueSource<Element: RealmCollectionValue>: ResultsSource {
    enum Step {
        case sort(isAscending: Bool)
        case distinct
    }

    let place: CollectionPlace
    private let steps: [Step]
    // The values found at one moment; in a frozen realm they are valid permanently, and for every thread.
    private let known = Mutex<(moment: RealmMoment, values: [Value])?>(nil)

    init(_ place: CollectionPlace, _ steps: [Step]) {
        self.place = place
        self.steps = steps
        super.init(in: place.core)
    }

    func followed(by step: Step) -> ValueSource { ValueSource(place, steps + [step]) }

    /// The current values.
    func found() throws -> [Value] {
        let moment = place.core.moment
        if let known = known.withLock({ $0 }), known.moment == moment { return known.values }
        var values: [Value] = []
        try place.forEachValue { values.append($0) }
        for step in steps {
            switch step {
            case .distinct: values = Value.distinct(values)
            case .sort(let isAscending): values = Self.sorted(values, isAscending)
            }
        }
        known.withLock { $0 = (moment, values) }
        return values
    }

    /// A value as an element, which may be nil.
    func loaded(_ value: Value) -> Any { place.load(value) as Element }

    /// Sorts values; equal values keep their order.
    private static func sorted(_ values: [Value], _ isAscending: Bool) -> [Value] {
        values.enumerated().sorted { one, other in
            let (first, second) = isAscending ? (one.element, other.element) : (other.element, one.element)
            return first.isSorted(before: second) || one.offset < other.offset && !second.isSorted(before: first)
        }.map(\.element)
    }

    override var count: Int {
        guard place.core.enter() else { return 0 }
        return place.core.attempt(0) { try found().count }
    }

    override func element(at position: Int) -> Any? {
        guard place.core.enter() else { return nil }
        return place.core.attempt(nil) {
            let values = try found()
            guard values.indices.contains(position) else { return nil }
            let element: Element = place.load(values[position])
            // A nil element is still an element.
            return .some(element as Any)
        }
    }

    override func position(of element: Any) -> Int? {
        guard place.core.enter(), let element = element as? Element else { return nil }
        return place.core.attempt(nil) { try found().map { place.load($0) as Element }.position(of: element) }
    }

    override func cursor<Wanted>() -> ElementCursor<Wanted> {
        guard place.core.enter() else { return ElementCursor() }
        return place.core.attempt(ElementCursor()) { ValueCursor(try found().map { place.load($0) as Element }) }
    }

    override func cursor<Wanted>(over positions: [Int]) -> ElementCursor<Wanted> {
        guard place.core.enter() else { return ElementCursor() }
        return place.core.attempt(ElementCursor()) {
            let values = try found()
            return ValueCursor(positions.map { place.load(values[$0]) as Element })
        }
    }

    override func unbound() -> (RealmCore) -> ResultsSource? {
        let find = place.elsewhere(), steps = steps
        return { core in (find(core) as? CollectionPlace).map { ValueSource($0, steps) } }
    }
}

/// Iterates over values.
private final class ValueCursor<Element, Value>: ElementCursor<Element> {
    private var values: ArraySlice<Value>

    init(_ values: [Value]) { self.values = values[...] }

    override func next(after object: inout ObjectBase?, _ remaining: inout Int) -> Element? {
        guard let value = values.popFirst() else { return nil }
        return value as? Element
    }
}
