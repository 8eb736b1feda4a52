extension BlockKind {
    /// The kind of leaf that stores values of a type.
    static func leaf(of type: PropertyType) -> BlockKind {
        switch type.leaf {
        case .integers: .integerLeaf
        case .floats: .floatLeaf
        case .doubles: .doubleLeaf
        case .texts: .textLeaf
        case .dates: .dateLeaf
        case .fixed: .fixedLeaf
        }
    }
}
