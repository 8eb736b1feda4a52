// A cache that reads objects near the last ones without finding their cluster again.
//
// Safe throughout: a reader owns the memory from its first handle to its end, and forgets the cluster before its
// version may be reused; an index is below the count that it was compared with.
import CFreehold
import FreeholdEngine

/// The objects of one cluster, with one field for each property that was read.
///
/// 1. It belongs to a snapshot's reader, and is filled once two calls in a row read from the same cluster: scattered
///    reads pay one comparison.
/// 2. What a field cannot represent (strings, nulls, other types) is read on the slow path, which also reports the
///    errors.
/// 3. A reader forgets it whenever it moves (`Reader.moved`).
struct RecentRows {
    /// How to read one property of each object of the cluster.
    private struct Field {
        /// Where the numbers are; nil if the property has no fast path, or none was requested yet.
        var image: RowImage?
        var type: freehold_type_t = 0
        var target = ReadClass.none
        var isKnown = false
    }

    /// The number of properties with a field; others are read on the slow path.
    private static let fieldLimit = 64

    private var objectClass = ReadClass.none
    private var firstKey: Int64 = 0
    /// The last key minus the first.
    private var span: UInt64 = 0
    private var count = 0
    private var areConsecutive = true
    private var keys: RowImage?
    /// The fields by property; allocated with the first cluster, valid while `objectClass` is a class.
    private var fields: UnsafeMutablePointer<Field>?
    /// The cluster whose objects are cached, and the cluster read last, which may be another one.
    private var cluster: UnsafeRawPointer?
    private var last: UnsafeRawPointer?

    static func make() -> UnsafeMutablePointer<RecentRows> {
        let made = UnsafeMutablePointer<RecentRows>.allocate(capacity: 1)
        made.initialize(to: RecentRows())
        return made
    }

    private init() {}

    static func free(_ rows: UnsafeMutablePointer<RecentRows>) {
        rows.pointee.fields?.deallocate()
        rows.deallocate()
    }

    mutating func forget() {
        objectClass = ReadClass.none
        (cluster, last) = (nil, nil)
    }

    // MARK: reading

    /// Fills `values` if the object is cached and every property has a field; false otherwise, for a read on the slow
    /// path.
    @inline(__always)
    func read(
        _ wanted: freehold_class_t, _ key: freehold_key_t, _ count: Int, _ properties: UnsafePointer<freehold_property_t>?,
        _ values: UnsafeMutablePointer<freehold_value_t>?
    ) -> Bool {
        // Keys wrap around here; the difference is then larger than any span.
        let distance = UInt64(bitPattern: key &- firstKey)
        guard wanted == objectClass, distance <= span, let fields, let values, count > 0 else { return false }
        let position = areConsecutive ? Int(truncatingIfNeeded: distance) : search(key)
        guard position >= 0 else { return false }
        for index in 0..<count {
            let property = properties?[index] ?? freehold_property_t(truncatingIfNeeded: index)
            guard property < Self.fieldLimit, let image = fields[Int(property)].image else { return false }
            values[index] = value(fields + Int(property), image, position)
        }
        return true
    }

    @inline(__always)
    private func value(_ field: UnsafeMutablePointer<Field>, _ image: RowImage, _ position: Int) -> freehold_value_t {
        let number = image.integer(position)
        var value = freehold_value_t()
        value.type = field.pointee.type
        switch Int(field.pointee.type) {
        case FREEHOLD_TYPE_BOOL: value.as.boolean = number != 0
        case FREEHOLD_TYPE_FLOAT: value.as.single = Float(bitPattern: UInt32(truncatingIfNeeded: number))
        case FREEHOLD_TYPE_DOUBLE: value.as.real = Double(bitPattern: UInt64(bitPattern: number))
        case FREEHOLD_TYPE_LINK: value.as.link = freehold_link_t(key: number, object_class: field.pointee.target)
        default: value.as.integer = number
        }
        return value
    }

    /// The position of a key among ascending keys, or -1.
    private func search(_ key: Int64) -> Int {
        guard let keys else { return -1 }
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            let found = keys.integer(middle)
            if found == key { return middle }
            if found < key { low = middle + 1 } else { high = middle }
        }
        return -1
    }

    // MARK: noting

    /// Records the location of an object that was read on the slow path.
    @inline(__always)
    mutating func note(_ row: Row, _ read: ReadClass, _ list: PropertyList) {
        guard let found = row.cluster else { return }
        guard found == last else { return last = found }
        fill(found, row, read, list)
    }

    @inline(never)
    private mutating func fill(_ found: UnsafeRawPointer, _ row: Row, _ read: ReadClass, _ list: PropertyList) {
        if found != cluster || objectClass != read.number {
            guard let neighbours = read.table.neighbours(of: row) else { return }
            let fields = fields ?? .allocate(capacity: Self.fieldLimit)
            fields.initialize(repeating: Field(), count: Self.fieldLimit)
            self.fields = fields
            (objectClass, cluster, count) = (read.number, found, neighbours.count)
            (firstKey, span) = (neighbours.firstKey, UInt64(bitPattern: neighbours.lastKey &- neighbours.firstKey))
            (areConsecutive, keys) = (neighbours.areConsecutive, neighbours.keys)
        }
        guard let fields else { return }
        for index in 0..<list.count {
            let property = Int(list[index])
            if property < min(read.columns.count, Self.fieldLimit), !fields[property].isKnown { fields[property] = field(property, row, read) }
        }
    }

    private func field(_ property: Int, _ row: Row, _ read: ReadClass) -> Field {
        var field = Field()
        field.isKnown = true
        let column = read.columns[property]
        // The read on the slow path has reported any damage.
        guard !column.isCollection, let image = (try? row.image(column)).flatMap({ $0 }) else { return field }
        field.image = image
        field.type = freehold_type_t(column.type.rawValue)
        field.target = read.targets[property]
        return field
    }
}
