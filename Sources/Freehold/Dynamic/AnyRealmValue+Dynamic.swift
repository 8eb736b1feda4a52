extension AnyRealmValue {
    /// The object, if its class is in the file but not in the program or its configuration.
    public var dynamicObject: DynamicObject? {
        if case .object(let object) = self { return object as? DynamicObject }
        return nil
    }
}
