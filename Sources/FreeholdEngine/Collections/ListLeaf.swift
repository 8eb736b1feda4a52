/// A leaf of a list's tree: a column leaf whose rows are elements.
///
/// Safe throughout: the leaf's structure was checked on the first touch of its block, its kind is compared with the
/// shape in the initialiser, and callers pass rows below its count.
struct ListLeaf {
    let view: BlockView
    let shape: CollectionShape
    let body: UnsafeRawPointer

    @inline(__always)
    init(_ view: BlockView, _ shape: CollectionShape) throws(FreeholdError) {
        self.view = view
        self.shape = shape
        body = view.body
        guard view.kindByte == BlockKind.leaf(of: shape.leafType).rawValue else {
            throw ListTree.damaged("a leaf of \(shape.leafType.name) has block kind \(view.kindByte)")
        }
    }

    @inline(__always) var count: Int { LeafHead(body).count }

    var text: TextLeaf {
        get throws(FreeholdError) {
            let leaf = TextLeaf(body)
            if leaf.isCodes { throw ListTree.damaged("a leaf holds dictionary codes without a dictionary") }
            return leaf
        }
    }

    /// The element as stored: long strings and collections by reference.
    func element(_ row: Int) throws(FreeholdError) -> ListElement {
        guard shape.leafType.isBytes else { return .value(try plainValue(row)) }
        let leaf = try text
        if !shape.isPlain { return .cell(try CollectionCell(leaf, row, in: view)) }
        if !leaf.isNull(row), leaf.isExternal(row) { return .large(length: leaf.external(row).length, try external(leaf, row)) }
        return .value(try plainValue(row))
    }

    /// The element with all its contents.
    func value(_ row: Int, in access: BlockAccess) throws(FreeholdError) -> Value {
        if let inner = shape.inner {
            return try CollectionReader(try CollectionCell(text, row, in: view), inner, access).value()
        }
        guard shape.type.isBytes else { return try plainValue(row) }
        let leaf = try text
        guard !leaf.isNull(row), leaf.isExternal(row) else { return try plainValue(row) }
        let bytes = try LargeValue.read(try external(leaf, row), in: access)
        guard UInt64(bytes.count) == leaf.external(row).length else { throw ListTree.damaged("a long element's length differs from its reference's") }
        if shape.type == .mixed { return try Self.mixed(bytes) }
        return shape.type == .string ? .string(String(decoding: bytes, as: UTF8.self)) : .data(bytes)
    }

    func external(_ leaf: TextLeaf, _ row: Int) throws(FreeholdError) -> BlockReference {
        let place = leaf.external(row).reference
        guard place < view.referenceCount else { throw ListTree.damaged("an element refers to a block that its leaf does not have") }
        return view.reference(place)
    }

    /// The key bytes of the element in a set or map.
    func setKey(_ row: Int, _ key: ByteBuffer, in access: BlockAccess) throws(FreeholdError) {
        if shape.type == .string, shape.isPlain {
            let leaf = try text
            if !leaf.isNull(row), !leaf.isExternal(row) {
                key.removeAll()
                return key.appendIndexText(leaf[row])
            }
        }
        key.setIndexKey(try value(row, in: access), of: shape.type)
    }

    /// An element stored in the leaf that is not a collection.
    private func plainValue(_ row: Int) throws(FreeholdError) -> Value {
        guard shape.type.isBytes else {
            if shape.type.leaf == .fixed { _ = try fixed }
            let leaf = AnyLeaf(body, shape.type.leaf)
            return leaf.isNull(row) ? .null : Value(leaf.words(row), of: shape.type)
        }
        let leaf = try text
        if leaf.isNull(row) { return .null }
        if shape.type == .mixed {
            guard let value = MixedBytes.decode(leaf[row]) else { throw Self.notMixed }
            return value
        }
        return shape.type == .string ? .string(String(decoding: leaf[row], as: UTF8.self)) : .data(Array(leaf[row]))
    }

    /// The leaf of fixed rows; throws if its rows are not as wide as values of the type.
    var fixed: FixedLeaf {
        get throws(FreeholdError) {
            let leaf = FixedLeaf(body)
            if leaf.width == shape.type.width { return leaf }
            throw ListTree.damaged("a leaf has elements of \(leaf.width) bytes")
        }
    }
}

/// One element to be inserted into a list.
enum ListElement: Equatable {
    /// A value that is not a collection.
    case value(Value)
    case cell(CollectionCell)
    /// A string or data that already has its own blocks.
    case large(length: UInt64, BlockReference)
}
