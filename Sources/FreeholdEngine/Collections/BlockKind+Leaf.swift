extension BlockKind {
    /// The kind of leaf that holds values of a type.
    static func leaf(of type: PropertyType) -> BlockKind {
        switch type {
        case .bool, .int, .link: .integerLeaf
        case .float: .floatLeaf
        case .double: .doubleLeaf
        case .string, .data, .mixed: .textLeaf
        case .date: .dateLeaf
        case .uuid, .objectId, .decimal: .fixedLeaf
        }
    }
}
