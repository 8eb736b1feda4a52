/// Records which properties are named by the values that a realm creates objects from; the other properties of an
/// existing object stay as they are.
///
/// Each call of `create` has one. It holds the objects, so that each is identified by its address.
final class GivenValues {
    struct Properties {
        /// The indices of properties that have a value.
        var places: Set<Int> = []
        /// The properties whose value is nil: collections are emptied.
        var emptied: Set<Int> = []
    }

    private var properties: [ObjectIdentifier: Properties] = [:]
    private var copies: [Original: ObjectBase] = [:]

    /// The original of a copy: an unmanaged object, or a row, whichever instance stands for it.
    private enum Original: Hashable {
        case alone(ObjectIdentifier)
        case row(ObjectIdentifier, Int16, Int64)

        init(_ object: ObjectBase) {
            self = object.owner.map { .row(ObjectIdentifier($0), object.classNumber, object._key) } ?? .alone(ObjectIdentifier(object))
        }
    }

    private var held: [ObjectBase] = []
    /// Whether existing objects may be updated, so that the named properties matter.
    private let isNeeded: Bool
    /// Whether a value did not fit.
    var isRefused = false

    init(isNeeded: Bool) { self.isNeeded = isNeeded }

    func begin(_ object: ObjectBase) {
        guard isNeeded else { return }
        held.append(object)
        properties[ObjectIdentifier(object)] = Properties()
    }

    func note(_ place: Int, isNothing: Bool, of object: ObjectBase) {
        guard isNeeded else { return }
        properties[ObjectIdentifier(object)]?.places.insert(place)
        if isNothing { properties[ObjectIdentifier(object)]?.emptied.insert(place) }
    }

    /// The properties given for an object; nil if it was not created from values.
    func properties(of object: ObjectBase) -> Properties? { isNeeded ? properties[ObjectIdentifier(object)] : nil }

    /// The copy of an object, created on first use: `make` returns a new instance, `fill` sets its values.
    func copy<Model: ObjectBase>(_ object: Model, _ make: () -> Model, _ fill: (Model) -> Void) -> Model {
        if let known = copies[Original(object)] as? Model { return known }
        let copy = make()
        held.append(object)
        copies[Original(object)] = copy
        fill(copy)
        return copy
    }
}
