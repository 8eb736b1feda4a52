import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// Reads objects of one version in the form of a line.
struct ObjectTeller {
    private let reader: ObjectReader
    private let primaryKey: Int?

    init(_ table: Table, in snapshot: Snapshot) throws {
        let reader = try ObjectReader(table, in: snapshot)
        self.reader = reader
        primaryKey = reader.properties.firstIndex { $0.name.isSame(as: reader.schema.primaryKey) }
    }

    /// An object in the form shown.
    struct Told {
        let key: ImportedValue
        let json: ImportedValue
        let text: String

        /// An object of which only the object key is known.
        static func gone(_ key: ObjectKey) -> Told { Told(key: .int(key.rawValue), json: .null, text: "#\(key)") }
    }

    /// The object's values; a missing object is shown by its object key.
    func told(_ key: ObjectKey) throws -> Told {
        guard let row = try reader.table.row(key) else { return .gone(key) }
        let values = try reader.values(row)
        let members = zip(reader.properties.map(\.name), values)
        let object = ImportedObject(shape: RecordShape(members.map(\.0)), values: members.map(\.1.told))
        let text = members.map { "\($0)=\(DisplayText.visible(ValueText.format($1)))" }.joined(separator: "  ")
        return Told(key: primaryKey.map { values[$0].told } ?? .int(key.rawValue), json: .object(object),
                    text: primaryKey == nil ? "#\(key)  \(text)" : text)
    }
}

extension Value {
    /// The value in JSON: values of types that JSON lacks are strings.
    var told: ImportedValue {
        switch self {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .int(let number): return .int(number)
        case .float(let number): return .double(Double(number))
        case .double(let number): return .double(number)
        case .list(let values), .set(let values): return .array(values.map(\.told))
        case .map(let entries):
            let members = entries.sorted { $0.key < $1.key }
            return .object(ImportedObject(shape: RecordShape(members.map(\.key)), values: members.map(\.value.told)))
        case .link(let key): return .int(key.rawValue)
        default: return .text(ValueText.format(self))
        }
    }
}
