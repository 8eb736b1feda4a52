public import Foundation
import FreeholdEngine

extension List {
    /// Appends an element.
    public func append(_ element: Element) { insert(CollectionOfOne(element), at: nil) }

    /// Appends elements, in their order.
    public func append(objectsIn elements: some Sequence<Element>) { insert(Array(elements), at: nil) }

    /// Appends elements, in their order.
    public func append(contentsOf elements: some Sequence<Element>) { append(objectsIn: elements) }

    /// Inserts an element before the one at a position, which may be the list's count.
    public func insert(_ element: Element, at position: Int) { insert(contentsOf: CollectionOfOne(element), at: position) }

    /// Inserts elements before the one at a position, in their order.
    public func insert(contentsOf elements: some Collection<Element>, at position: Int) { insert(elements, at: position) }

    /// Inserts elements before the one at a position; nil: at the end.
    func insert(_ elements: some Collection<Element>, at position: Int?, _ context: StoringContext? = nil) {
        guard let place else {
            if isPosition(position ?? 0, below: own.count + 1) { own.insert(contentsOf: elements, at: position ?? own.count) }
            return
        }
        let context = context ?? StoringContext(place.core)
        place.changeList { list in
            let end = try list.view().count
            guard isPosition(position ?? 0, below: end + 1) else { return }
            if place.described.isOwning {
                var next = position ?? end
                for element in elements where try place.embed(element, at: next, in: list, context) { next += 1 }
                return
            }
            let values = elements.map { $0._stored(in: context) }
            if position == nil || position == end { try list.append(contentsOf: values) } else { try list.insert(contentsOf: values, at: position ?? end) }
        }
    }

    /// Removes the element at a position.
    public func remove(at position: Int) {
        guard isPosition(position, below: count) else { return }
        removeSubrange(position..<position + 1)
    }

    /// Removes the elements at several positions.
    public func remove(atOffsets offsets: IndexSet) {
        for range in offsets.rangeView.reversed() { removeSubrange(range) }
    }

    /// Removes a range of elements: `list.removeSubrange(3...)`.
    public func removeSubrange(_ range: some RangeExpression<Int>) { removeSubrange(range.relative(to: self)) }

    /// Removes a range of elements.
    public func removeSubrange(_ range: Range<Int>) {
        if range.isEmpty { return }
        guard isPosition(range.lowerBound, below: count), isPosition(range.upperBound - 1, below: count) else { return }
        guard let place else { return own.removeSubrange(range) }
        place.changeList { try $0.remove(range) }
    }

    /// Removes all elements.
    public func removeAll() {
        guard let place else { return own.removeAll() }
        place.changeList { try $0.removeAll() }
    }

    /// Removes the first element, or the first `number` elements. More than the list has is misuse.
    public func removeFirst(_ number: Int = 1) { if isCount(number) { removeSubrange(0..<number) } }

    /// Removes the last element, or the last `number` elements. More than the list has is misuse.
    public func removeLast(_ number: Int = 1) { if isCount(number) { removeSubrange(count - number..<count) } }

    private func isCount(_ number: Int) -> Bool {
        if number >= 0, number <= count { return true }
        Misuse.report(number < 0 ? "Cannot pass a negative value for 'number'."
            : "It is not possible to remove more objects (\(number)) from a collection containing only \(count) objects.")
        return false
    }

    /// Replaces the element at a position.
    public func replace(index: Int, object: Element) { self[index] = object }

    /// Replaces a range of elements: `list.replaceSubrange(0..<2, with: [dog])`.
    public func replaceSubrange(_ range: some RangeExpression<Int>, with elements: some Collection<Element>) {
        let range = range.relative(to: self)
        guard isPosition(range.lowerBound, below: count + 1), range.isEmpty || isPosition(range.upperBound - 1, below: count) else { return }
        // The new elements may be a part of the range that is removed.
        let elements = Array(elements)
        removeSubrange(range)
        insert(contentsOf: elements, at: range.lowerBound)
    }

    /// A range of elements; setting it replaces the range with more or fewer elements.
    public subscript(range: Range<Int>) -> Slice<List> {
        get { Slice(base: self, bounds: range) }
        set { replaceSubrange(range, with: newValue) }
    }

    /// Moves an element to another position. `to` is its position afterwards.
    public func move(from: Int, to: Int) {
        let end = count
        guard isPosition(from, below: end), isPosition(to, below: end) else { return }
        guard let place else { return own.insert(own.remove(at: from), at: to) }
        place.changeList { try $0.move(from: from, to: to) }
    }

    /// Moves several elements, in their order, before the one now at `destination`, which may be the list's count.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        guard isPosition(destination, below: count + 1), offsets.allSatisfy({ isPosition($0, below: count) }) else { return }
        // Elements before the destination move one after the other; each then finds the next at the same position.
        for (done, from) in offsets.filter({ $0 < destination }).enumerated() { move(from: from - done, to: destination - 1) }
        for (done, from) in offsets.filter({ $0 >= destination }).enumerated() { move(from: from, to: destination + done) }
    }

    /// Exchanges two elements.
    public func swapAt(_ one: Int, _ other: Int) {
        let end = count
        guard isPosition(one, below: end), isPosition(other, below: end) else { return }
        guard let place else { return own.swapAt(one, other) }
        place.changeList { try $0.swap(one, other) }
    }
}
