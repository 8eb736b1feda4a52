import Foundation

extension ValueContext {
    /// The elements of a sequence of any type, empty for nil; nil if one of them does not fit, or the value is no
    /// sequence.
    func elements<Element: _Storable>(_ value: Any, _ type: Element.Type) -> [Element]? {
        if ValueContext.isNothing(value) { return [] }
        guard !(value is String), !(value is Data), let values = value as? any Sequence else { return nil }
        var elements: [Element] = []
        for value in values {
            guard let element = Element._from(value, self) else {
                refuse(value)
                return nil
            }
            elements.append(element)
        }
        return elements
    }
}
