/// What the insertion of an object needs of its class, at hand without a way through the class.
struct WrittenClass {
    /// The template of new rows; the state's class retains its layout.
    let template: RowTemplate
    /// Whether the primary key is the object key.
    let isKeyedByInteger: Bool
    /// Whether the table's class has subclasses.
    let hasFamily: Bool

    init(_ stored: StoredClass) {
        template = stored.layout.template
        isKeyedByInteger = stored.isKeyedByInteger
        hasFamily = stored.family != nil
    }
}
