extension AnyRealmValue {
    /// The object, if it is of a class that the program, or its configuration, does not have.
    public var dynamicObject: DynamicObject? {
        if case .object(let object) = self { return object as? DynamicObject }
        return nil
    }
}
