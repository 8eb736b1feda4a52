import FreeholdEngine

/// A list of an object: positions in a tree, elements by identity. Deleted elements stay, so that what comes late finds them.
struct StoredList: Sendable {
    var tree = PositionTree()
    var elements: [SyncIdentity: StoredElement] = [:]
    /// Which element stands at a position that is not its first.
    var moved: [SyncIdentity: SyncIdentity] = [:]

    /// The elements that show, in order.
    func forEachShown<Failure>(_ body: (SyncIdentity, StoredElement) throws(Failure) -> Void) throws(Failure) {
        try tree.forEach { (position) throws(Failure) in
            let identity = moved[position] ?? position
            guard let element = elements[identity], element.position == position, !element.isDeleted else { return }
            try body(identity, element)
        }
    }
}

/// An element: its value with the write of it, its position with the move.
struct StoredElement: Sendable {
    var value: StoredRegister
    var position: SyncIdentity
    var move: StoredWrite
    var isDeleted = false
}
