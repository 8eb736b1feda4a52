/// What changed within collections: computed on demand, at a cost that follows the change and not the collection.
///
/// A result is valid while both snapshots stay at their versions. An object that is only in one version has an empty
/// collection in the other; for one that was replaced the other object's collection is compared.
extension ObjectChange {
    /// What changed in a property that is a list; throws `.typeMismatch` if it is not one.
    ///
    /// - Parameter column: a property of the newer snapshot's class, as in `ClassChanges.columns`.
    public func listChanges(of column: Column) throws(FreeholdError) -> ListChanges {
        let (before, after, shape, access) = try versions(of: column, .list)
        return try ListChanges(before, after, shape, access)
    }

    /// What changed in a property that is a set.
    public func setChanges(of column: Column) throws(FreeholdError) -> SetChanges {
        let (before, after, shape, access) = try versions(of: column, .set)
        return try SetChanges(before, after, shape, access)
    }

    /// What changed in a property that is a map.
    public func mapChanges(of column: Column) throws(FreeholdError) -> MapChanges {
        let (before, after, shape, access) = try versions(of: column, .map)
        return try MapChanges(before, after, shape, access)
    }

    private func versions(of column: Column, _ kind: CollectionKind)
        throws(FreeholdError) -> (CollectionReader?, CollectionReader?, CollectionShape, BlockAccess) {
        let property = stored.properties[try stored.index(of: column)]
        guard let shape = property.shape else { throw property.noCollection(class: stored.name) }
        let old = try before?.collection(numbered: property.number), new = try after?.collection(numbered: property.number)
        _ = try (new ?? old)?.requiring(kind)
        return (old, new, shape, access)
    }
}

/// Changes of collections within collections: between two versions of the element's collection.
extension ListView {
    /// What changed since an older version of the list. The list may be within another collection, or changed by a
    /// transaction.
    ///
    /// ```swift
    /// for part in changes.modifications {
    ///     for (old, new) in zip(part.old, part.new) {
    ///         let inner = try after.list(at: new).changes(since: before.list(at: old))
    ///     }
    /// }
    /// ```
    /// - Throws: `.invalidArgument` if the two are of different databases or have elements of different types.
    public func changes(since older: ListView) throws(FreeholdError) -> ListChanges {
        try reader.requireComparable(to: older.reader)
        return try ListChanges(older.reader, reader, reader.shape, reader.access)
    }
}

extension SetView {
    /// What changed since an older version of the set; errors as for a list.
    public func changes(since older: SetView) throws(FreeholdError) -> SetChanges {
        try reader.requireComparable(to: older.reader)
        return try SetChanges(older.reader, reader, reader.shape, reader.access)
    }
}

extension MapView {
    /// What changed since an older version of the map; errors as for a list.
    public func changes(since older: MapView) throws(FreeholdError) -> MapChanges {
        try reader.requireComparable(to: older.reader)
        return try MapChanges(older.reader, reader, reader.shape, reader.access)
    }
}

extension CollectionReader {
    /// Throws for collections of two files: their blocks cannot be compared by place.
    fileprivate func requireComparable(to older: CollectionReader) throws(FreeholdError) {
        guard access.path == older.access.path else {
            throw FreeholdError(.invalidArgument, "changes are computed between two versions of one database; the other collection is "
                + "of '\(older.access.path)'", path: access.path)
        }
        guard shape == older.shape else {
            throw FreeholdError(.invalidArgument, "changes are computed between two versions of one collection; the other one is a \(older.shape.kind.name) "
                + "of other elements", path: access.path)
        }
    }
}
