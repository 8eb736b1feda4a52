import FreeholdEngine

/// A class of the import with what it takes to read its objects.
struct ReadClass {
    var schema: ClassSchema
    /// The class it extends, by its place.
    let parent: Int?
    /// What `Z_ENT` has in the rows of its objects.
    let number: Int64
    /// The table, by its place in the file.
    let table: Int
    /// What is read of each object: the inherited properties, from the outermost class on, then its own.
    let properties: [ReadProperty]
}

/// A property and how its values are read.
struct ReadProperty {
    let schema: PropertySchema
    let source: StoredProperty.Source
    /// Whether the values say where they are, as those of attributes with external storage do.
    var isExternal = false
}

/// Makes the classes of an import from entities, their properties and what is stored in them.
struct ReadClassBuilder {
    private let entities: [StoredEntity]
    private let tables: [SQLiteTable]
    private let scan: StoreScan
    private let external: Set<ExactText>
    private var own: [[ReadProperty]] = []
    private(set) var classes: [ReadClass] = []
    private(set) var remarks: [SourceRemark] = []

    /// - Parameter external: attributes, `Entity.attribute`, that are said to have external storage.
    init(_ entities: [StoredEntity], _ tables: [SQLiteTable], _ scan: StoreScan, external: [String]) {
        (self.entities, self.tables, self.scan, self.external) = (entities, tables, scan, Set(exact: external))
    }

    mutating func build() {
        for (place, entity) in entities.enumerated() {
            own.append(
                entity.properties.enumerated().compactMap { number, property in
                    read(property, of: entity, scan.evidence[place][number])
                })
        }
        for (place, entity) in entities.enumerated() {
            if entity.isAbstract, scan.counts[place] == 0 {
                remarks.append(SourceRemark(.converted, entity.name, "an abstract entity becomes a class without objects of its own"))
            }
            var properties: [ReadProperty] = []
            var next: Int? = place
            while let current = next {
                properties = own[current] + properties
                next = entities[current].parent
            }
            let schema = ClassSchema(entity.name, superclass: entity.parent.map { entities[$0].name }, properties.map(\.schema))
            classes.append(
                ReadClass(
                    schema: schema, parent: entity.parent, number: entity.number, table: entity.table, properties: properties))
        }
        for (table, count) in scan.strayRows.sorted(by: { $0.key < $1.key }) {
            remarks.append(SourceRemark(.lost, "", "\(count) rows of the table \(tables[table].name) are of no known entity"))
        }
    }

    private mutating func read(_ property: StoredProperty, of entity: StoredEntity, _ evidence: ColumnEvidence) -> ReadProperty? {
        switch property.source {
        case .link(_, let target):
            return ReadProperty(
                schema: PropertySchema(property.name, linkTo: entities[target].name, deleteRule: property.deleteRule),
                source: property.source)
        case .links(_, let target, let isOrdered):
            return ReadProperty(
                schema: PropertySchema(
                    property.name, linkTo: entities[target].name, deleteRule: property.deleteRule, collections: [isOrdered ? .list : .set]),
                source: property.source)
        case .attribute(let column, let wanted): return attribute(property, column, wanted, of: entity, evidence)
        }
    }

    private mutating func attribute(
        _ property: StoredProperty, _ column: Int, _ wanted: AttributeReading, of entity: StoredEntity, _ evidence: ColumnEvidence
    ) -> ReadProperty? {
        let place = "\(entity.name).\(property.name)"
        let stored = tables[entity.table].columns[column].name
        if property.isUnexplained {
            if evidence.values == 0 { return nil }
            remarks.append(
                SourceRemark(.converted, place, "no attribute of the model explains the column \(stored), which becomes this property"))
        }
        let reading = evidence.reading(wanted)
        if reading != wanted {
            remarks.append(
                SourceRemark(
                    .converted, place, "some values are not of the type \(wanted.type.name), so the property is \(reading.type.name)"))
        }
        let isExternal = (evidence.isExternal(wanted) || external.contains(place)) && reading == wanted
        remark(place, reading, evidence, isExternal: isExternal)
        var isNullable = property.isOptional
        if !isNullable, evidence.nulls + (isExternal ? evidence.missingFiles : 0) > 0 {
            isNullable = true
            remarks.append(
                SourceRemark(.converted, place, "some values are missing, so the property may be null although the model requires it"))
        }
        let schema = PropertySchema(property.name, reading.type, isNullable: isNullable)
        return ReadProperty(schema: schema, source: .attribute(column: column, reading), isExternal: isExternal)
    }

    private mutating func remark(_ place: String, _ reading: AttributeReading, _ evidence: ColumnEvidence, isExternal: Bool) {
        if isExternal, evidence.missingFiles > 0 {
            remarks.append(SourceRemark(.lost, place, "the files of \(evidence.missingFiles) values in external storage are missing"))
        }
        if reading == .data, !isExternal, evidence.looksInline {
            remarks.append(
                SourceRemark(
                    .converted, place,
                    "all values begin with the byte 1, which Core Data adds if an attribute allows external storage; it stays"))
        }
        let opaque = evidence.opaque(isExternal: isExternal)
        if reading == .archive, opaque > 0 {
            let text = "\(opaque) of \(evidence.values) transformable values are not plain property lists and stay bytes"
            remarks.append(SourceRemark(.converted, place, text))
        }
    }
}

extension AttributeReading {
    /// The type of a property whose values are read so.
    var type: PropertyType {
        switch self {
        case .int: .int
        case .bool: .bool
        case .double: .double
        case .float: .float
        case .decimal: .decimal
        case .date: .date
        case .string: .string
        case .data: .data
        case .uuid: .uuid
        case .archive, .any: .mixed
        }
    }
}
