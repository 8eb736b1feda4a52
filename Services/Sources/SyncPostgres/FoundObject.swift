import FreeholdEngine
import FreeholdMerge

/// What the tables of classes have of an object, as it is sent.
struct FoundObject {
    /// Its columns but the key; nil if it is not there.
    var columns: [[UInt8]?]?
    /// Its rows in each table of a collection.
    var collections: [[ClassTableWriter.Entry]]

    /// Rows of which there are several for one name: other software has written one that others wrote at the same time.
    func repeated(_ collection: Int) -> Set<ClassTableWriter.Entry> {
        let entries = collections[collection], counts = Dictionary(entries.map { ($0.name, 1) }, uniquingKeysWith: +)
        return Set(entries.filter { counts[$0.name]! > 1 })
    }
}

/// Something that other software has written and that is not to be, for `freehold.refused`.
struct ForeignRefusal {
    let object: SyncObject
    /// The column or table.
    let place: String
    let reason: String
}
