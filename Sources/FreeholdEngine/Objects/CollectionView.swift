/// A list, set or map of one object as a reader sees it, for code that serves all three kinds. Valid as long as its row.
///
/// ```swift
/// switch view {
/// case .list(let list): print(try list.values(in: 0..<list.count))
/// case .set(let set): print(try set.contains(.int(7)))
/// case .map(let map): print(try map.keys())
/// }
/// ```
public enum CollectionView {
    case list(ListView)
    case set(SetView)
    case map(MapView)

    init(_ reader: CollectionReader) {
        self = switch reader.shape.kind {
        case .list: .list(ListView(reader: reader))
        case .set: .set(SetView(reader: reader))
        case .map: .map(MapView(reader: reader))
        }
    }

    var reader: CollectionReader {
        switch self {
        case .list(let list): list.reader
        case .set(let set): set.reader
        case .map(let map): map.reader
        }
    }

    /// The number of elements, or keys of a map.
    public var count: Int { reader.count }
    /// The list; nil for another kind.
    public var list: ListView? { if case .list(let list) = self { list } else { nil } }
    /// The set; nil for another kind.
    public var set: SetView? { if case .set(let set) = self { set } else { nil } }
    /// The map; nil for another kind.
    public var map: MapView? { if case .map(let map) = self { map } else { nil } }

    /// The element at a position, for a map the value in the order of keys; throws `.invalidArgument` if there is none.
    public subscript(position: Int) -> Value {
        get throws(FreeholdError) {
            let reader = reader
            guard position >= 0, position < reader.count else { throw CollectionError.noPosition(position, reader.count) }
            return try reader.value(at: position)
        }
    }

    /// The elements of a range of positions, for a map the values in the order of keys.
    public func values(in range: Range<Int>) throws(FreeholdError) -> [Value] { try reader.values(in: range) }

    /// A walk over all elements, for a map over the values.
    public func walk() -> ElementWalk { ElementWalk(reader, from: 0) }
}
