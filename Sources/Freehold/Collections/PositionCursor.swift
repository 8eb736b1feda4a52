import FreeholdEngine

/// Iterates over a collection by position, up to the number of elements at the beginning.
final class PositionCursor<Elements: RandomAccessCollection>: ElementCursor<Elements.Element> where Elements.Index == Int {
    private let elements: Elements
    private let end: Int
    private var position = 0

    init(_ elements: Elements) {
        self.elements = elements
        end = elements.count
    }

    override func next(after object: inout ObjectBase?, _ remaining: inout Int) -> Elements.Element? {
        guard position < Swift.min(end, elements.count) else { return nil }
        defer { position += 1 }
        return elements[position]
    }
}

extension RandomAccessCollection where Index == Int, Element: RealmCollectionValue {
    /// The first position of an element. An object is found whichever instance represents it.
    func position(of element: Element) -> Int? {
        guard let object = Self.object(element) else { return firstIndex(of: element) }
        return firstIndex { Self.object($0)?.isSameObject(as: object) ?? false }
    }

    /// The object that an element is, or that a mixed value contains.
    private static func object(_ element: Element) -> ObjectBase? {
        if let mixed = element as? AnyRealmValue, case .object(let object) = mixed { return object }
        return element as? ObjectBase
    }
}

/// Iterates over the objects of given keys that still exist.
final class KeyCursor<Element>: ElementCursor<Element> {
    private let core: RealmCore
    private let classNumber: Int16
    private var keys: ArraySlice<ObjectKey>
    /// The cluster of the last object.
    private var cluster: UnsafeRawPointer?
    /// The thread that took the last object. No other thread may reuse it: an object reads through fields of its own
    /// thread.
    private var thread: UInt

    init(_ keys: [ObjectKey], of live: LiveClass, in core: RealmCore) {
        self.core = core
        classNumber = Int16(live.number)
        self.keys = keys[...]
        thread = Confinement.here
    }

    override func next(after object: inout ObjectBase?, _ remaining: inout Int) -> Element? {
        guard core.enter() else { return nil }
        if core.isFrozen, thread != Confinement.here {
            thread = Confinement.here
            object = nil
        }
        return core.attempt(nil) {
            let live = core.live(classNumber)
            while let key = keys.popFirst() {
                guard let row = try live.find(key) else { continue }
                let found = try live.object(row, reusing: &object, isNear: row.cluster != nil && row.cluster == cluster)
                cluster = row.cluster
                return found as? Element
            }
            object = nil
            return nil
        }
    }
}
