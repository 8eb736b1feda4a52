/// The kind of a block's contents. Raw values are stored in the file and never change.
enum BlockKind: UInt8 {
    case top = 1
    /// The state of one derived index. Version 1 reserved the number and gives the block no structure.
    case derivedRoot = 2
    case tableRoot = 3
    /// Inner node of a cluster tree.
    case clusterInner = 4
    /// One cluster: the objects of a key range, a reference per column.
    case cluster = 5
    case tail = 6
    case integerLeaf = 7
    case floatLeaf = 8
    case doubleLeaf = 9
    case textLeaf = 10
    case fixedLeaf = 11
    case dateLeaf = 12
    case indexInner = 13
    case indexLeaf = 14
    case largeValue = 15
    case largeValueIndex = 16
    case dictionary = 17
    case spaceRoot = 18
    case spaceChunk = 19
    case spaceInner = 20
    case spaceLeaf = 21
    /// Inner node of a list's tree.
    case listInner = 22
    /// The parts of a collection that is a tree.
    case collectionRoot = 23
}
