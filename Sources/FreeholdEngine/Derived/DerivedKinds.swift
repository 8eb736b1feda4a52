import Platform

/// The kinds that this program knows.
enum DerivedKinds {
    /// The kind of an index, with what this machine has for its language; nil if a newer program declared it.
    static func kind(of index: StoredDerived, in access: BlockAccess) -> (any DerivedKind)? {
        guard index.flags == 0 else { return nil }
        if index.kind != FullTextKind.number { return kind(index, on: access.system) }
        guard let options = index.fullTextOptions else { return nil }
        return options.language.map { FullTextKind(try? access.stemmings.stemming($0)) } ?? FullTextKind()
    }

    private static func kind(_ index: StoredDerived, on system: any System) -> (any DerivedKind)? {
        let number = index.kind
        if number == PlacesKind.number { return PlacesKind() }
        if number == CollationKind.number { return CollationKind(index, on: system) }
        if number == VectorsKind.number { return VectorsKind() }
        #if FREEHOLD_POINTS
        if number == FieldKind.number { return FieldKind() }
        #endif
        return nil
    }

    /// The error for an index of another program's version, which this one must not change.
    static func refused(_ index: StoredDerived, of stored: StoredClass, _ root: DerivedVersions, _ own: DerivedVersions) -> FreeholdError {
        FreeholdError(.unsupportedFormat, "a derived index of class '\(stored.name)' is of \(root), and this Freehold writes \(own); "
            + "change the class with the Freehold that wrote the index, or drop the index")
    }

    /// The error of a damaged block of an index, with the class and what to do; any other error as it is.
    ///
    /// - Parameter act: what cannot be done with the index.
    static func explained(_ error: FreeholdError, _ stored: StoredClass, _ act: String) -> FreeholdError {
        guard error.code == .corrupt else { return error }
        return FreeholdError(.corrupt, "a derived index of class '\(stored.name)' cannot be \(act): \(error.message). "
            + "Run `freehold check`; if only the index is damaged, drop it and add it again", path: error.path)
    }

    /// The error for an index of a kind that this program does not know.
    static func unknown(_ index: StoredDerived, of stored: StoredClass) -> FreeholdError {
        FreeholdError(.unsupportedFormat, "class '\(stored.name)' has a derived index of kind \(index.kind), which this Freehold does not "
            + "support; change the class with a newer Freehold, or open the file for reading only")
    }
}
