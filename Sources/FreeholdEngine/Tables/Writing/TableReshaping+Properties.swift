extension TableReshaping {
    /// Switches to the class after a property was added: buffered rows are sealed in their old layout first, and the
    /// new property's tree is filled with the objects' values.
    ///
    /// - Parameter isNewClass: whether the properties are those of a new subclass, which has no objects.
    func adopt(_ stored: StoredClass, isNewClass: Bool = false) throws(FreeholdError) {
        try writer.open()
        try writer.seal()
        try writer.compact()
        let old = state.stored.properties.count
        writer.become(stored)
        if isNewClass { return }
        for column in old..<stored.properties.count where stored.properties[column].hasTree && stored.properties[column].shape == nil {
            try indexes.fill(column)
        }
    }
}
