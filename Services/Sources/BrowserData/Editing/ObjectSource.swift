import FreeholdEngine

/// What objects are read from: a snapshot, or a write transaction with its uncommitted changes.
public protocol ObjectSource {
    /// The class with this name; throws `.unknownClass`.
    func table(_ name: String, withSubclasses: Bool) throws(FreeholdError) -> Table
    /// The table that has the object a mixed property links to.
    func table(of object: ObjectReference) throws(FreeholdError) -> Table
}

extension Snapshot: ObjectSource {}
extension WriteTransaction: ObjectSource {}
