import FreeholdEngine

/// The columns of a class's table, as the model's properties and new objects need them. They change only with the schema.
struct ClassColumns {
    /// The table's columns.
    let all: [Column]
    /// The columns of the model's properties; nil for properties that the file does not have.
    let ofProperties: [Column?]
    /// For each property, the index of its column among a new object's values; -1 for none.
    let valuePlaces: [Int]
    /// The initial value of a new object in each column of the table.
    let initialValues: [Value]
    /// The index of the primary key among a new object's values.
    let keyPlace: Int?
    /// Whether the primary key is the object key. This may be false for an integer that became the key of a class with
    /// objects.
    let isKeyedByNumber: Bool
    /// Why objects of the class can no longer be added, after another program has changed the class in the file.
    let misfit: String?

    /// The columns before the table was read.
    static var unknown: ClassColumns { ClassColumns() }

    private init() {
        (all, ofProperties, valuePlaces, initialValues) = ([], [], [], [])
        (keyPlace, isKeyedByNumber, misfit) = (nil, false, nil)
    }

    init(of table: Table, _ model: ModelClass) {
        let schema = table.schema, all = table.columns
        let names = TextMap(uniqueKeysWithValues: schema.properties.enumerated().map { ($1.name, $0) })
        let places = model.properties.map { $0.isStored ? names[$0.storedName] ?? -1 : -1 }
        self.all = all
        valuePlaces = places
        ofProperties = zip(model.properties, places).map { property, place in
            // A column of another type no longer belongs to the program's property.
            place >= 0 && property.fits(schema.properties[place]) ? all[place] : nil
        }
        let key = model.primaryKey.flatMap { names[model.properties[$0].storedName] }
        keyPlace = key
        initialValues = table.initialValues
        isKeyedByNumber = key.map { all[$0].isObjectKey } ?? false
        misfit = Self.misfit(of: model, schema, ofProperties)
    }

    private static func misfit(of model: ModelClass, _ schema: ClassSchema, _ columns: [Column?]) -> String? {
        if let place = model.properties.indices.first(where: { model.properties[$0].isStored && columns[$0] == nil }) {
            return "Property '\(model.name).\(model.properties[place].name)' is not in the file as this program knows it."
        }
        if schema.isEmbedded != model.isEmbedded {
            return SchemaChange.embedding(schema.isEmbedded, of: model.name).description
        }
        let keys = model.primaryKey.map { [model.properties[$0].storedName] } ?? []
        return keys.isSame(as: schema.primaryKeys) ? nil : SchemaChange.primaryKey(keys, schema.primaryKeys, of: model.name).description
    }
}
