import FreeholdImport

/// A JSON object with its names in the given order.
struct JSONObject {
    let object: ImportedObject

    /// - Parameter more: members that follow.
    init(_ members: KeyValuePairs<String, ImportedValue>, _ more: KeyValuePairs<String, ImportedValue> = [:]) {
        self.init(Array(members) + Array(more))
    }

    init(_ members: [(key: String, value: ImportedValue)]) {
        object = ImportedObject(shape: RecordShape(members.map(\.key)), values: members.map(\.value))
    }

    /// The object as a value.
    var value: ImportedValue { .object(object) }

    /// The object on one line.
    var line: String { value.jsonText + "\n" }
}
