/// Finds the objects of a table without counting references on the way: that would take longer than finding them.
///
/// ```swift
/// let people = try snapshot.table("Person"), lookup = KeyLookup(people)
/// withExtendedLifetime(people) { for key in keys { if let row = try lookup.row(key) { print(try row.int(age)) } } }
/// ```
/// The caller keeps the table for as long as the lookup, and uses both on the table's thread.
public struct KeyLookup {
    // Safe: the caller keeps the table that was passed in; see above.
    private let state: Unmanaged<TableState>
    // Safe: as above.
    private let scope: Unmanaged<ClassScope>?

    /// Creates a lookup that finds what `table` finds.
    public init(_ table: Table) {
        // Safe: as above.
        state = .passUnretained(table.state)
        scope = table.scope.map { .passUnretained($0) }
    }

    /// The object with this key, or nil.
    @inline(__always)
    public func row(_ key: ObjectKey) throws(FreeholdError) -> Row? {
        // Safe: the caller keeps the table.
        try state._withUnsafeGuaranteedRef { state in
            Result { () throws(FreeholdError) -> Row? in
                guard let place = try state.find(key.rawValue) else { return nil }
                if let scope, try !scope._withUnsafeGuaranteedRef({ scope in
                    Result { () throws(FreeholdError) in scope.contains(try state.tag(place)) }
                }).get() { return nil }
                state.noteGivenRows()
                return Row(state: state, place: place, key: key)
            }
        }.get()
    }
}
