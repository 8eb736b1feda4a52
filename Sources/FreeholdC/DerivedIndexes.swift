// Full-text indexes, indexes of places, of vectors and in a collation: declared, listed, built.
//
// Safe throughout: fields passed in lie one after the other, as many as the caller states; an out parameter is NULL or
// writable memory of the caller; a callback and its context are called on the caller's thread, during the call.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_class_add_full_text_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ count: Int, _ fields: UnsafePointer<freehold_index_field_t>?
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        try transaction.fullText.add(try FullTextIndex(given: fields, count), to: read.schema.name)
    }
}

@c @implementation
public func freehold_class_add_full_text_index_in(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ count: Int, _ fields: UnsafePointer<freehold_index_field_t>?,
    _ language: UnsafePointer<CChar>?, _ language_length: Int
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        let plain = try FullTextIndex(given: fields, count), language = try text(language, language_length, "language of a full-text index")
        try transaction.fullText.add(FullTextIndex(plain.fields, language: language), to: read.schema.name)
    }
}

@c @implementation
public func freehold_class_drop_full_text_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ count: Int, _ fields: UnsafePointer<freehold_index_field_t>?
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        try transaction.fullText.drop(try FullTextIndex(given: fields, count), from: read.schema.name)
    }
}

@c @implementation
public func freehold_class_add_place_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ count: Int, _ fields: UnsafePointer<freehold_index_field_t>?
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        switch try PlaceFields(given: fields, count) {
        case .link(let link): try transaction.places.add(link, to: read.schema.name)
        case .pair(let first, let second): try transaction.places.add(latitude: first, longitude: second, to: read.schema.name)
        }
    }
}

@c @implementation
public func freehold_class_drop_place_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ count: Int, _ fields: UnsafePointer<freehold_index_field_t>?
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        switch try PlaceFields(given: fields, count) {
        case .link(let link): try transaction.places.drop(link, from: read.schema.name)
        case .pair(let first, let second): try transaction.places.drop(latitude: first, longitude: second, from: read.schema.name)
        }
    }
}

@c @implementation
public func freehold_class_add_vector_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t, _ dimensions: Int,
    _ elements: freehold_vector_elements_t, _ metric: freehold_vector_metric_t
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        guard Int(elements) < VectorElements.allCases.count, Int(metric) < VectorMetric.allCases.count else {
            throw FreeholdError(.invalidArgument, "elements \(elements) or metric \(metric) of vectors is none of those in derived_index.h")
        }
        try transaction.vectors.add(try read.name(of: property), dimensions: dimensions, elements: VectorElements.allCases[Int(elements)],
                                    metric: VectorMetric.allCases[Int(metric)], to: read.schema.name)
    }
}

@c @implementation
public func freehold_class_drop_vector_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        try transaction.vectors.drop(try read.name(of: property), from: read.schema.name)
    }
}

@c @implementation
public func freehold_class_add_collation_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ language: UnsafePointer<CChar>?, _ language_length: Int
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        try transaction.collations.add(try read.name(of: property), try text(language, language_length, "language"), to: read.schema.name)
    }
}

@c @implementation
public func freehold_class_drop_collation_index(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ language: UnsafePointer<CChar>?, _ language_length: Int
) -> freehold_error_code_t {
    change(transaction, object_class) { transaction, read in
        let tag = try text(language, language_length, "language")
        try transaction.collations.drop(try read.name(of: property), tag, from: read.schema.name)
    }
}

@c @implementation
public func freehold_class_derived_index(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ number: UInt32,
    _ info: UnsafeMutablePointer<freehold_derived_index_info_t>?
) -> freehold_error_code_t {
    outcome {
        let reader = try Handles.reader(reader), read = try reader.readClass(object_class), all = try reader.derivedIndexes()
        func isOwn(_ className: String) -> Bool { className.isSame(as: read.schema.name) }
        var infos = all.texts.filter { isOwn($0.className) }.map { read.info($0) }
        infos += all.places.filter { isOwn($0.className) }.map { read.info($0) }
        infos += all.collations.filter { isOwn($0.className) }.map { read.info($0) }
        infos += all.vectors.filter { isOwn($0.className) }.map { read.info($0) }
        guard number < infos.count else { return Outcome.absent }
        try Sized.fill(info, with: infos[Int(number)])
        return Outcome.ok
    }
}

@c @implementation
public func freehold_database_build_indexes(
    _ database: OpaquePointer?, _ progress: freehold_index_progress_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    done {
        try Handles.database(database).buildIndexes { state in
            progress?(context, UInt64(state.doneObjects), UInt64(state.totalObjects)) ?? true
        }
    }
}

// MARK: Fields of callers

/// Checks how many fields a caller gives, before they are read.
private func givenFields(_ fields: UnsafePointer<freehold_index_field_t>?, _ count: Int, _ allowed: ClosedRange<Int>,
                         _ what: String) throws(FreeholdError) -> UnsafeBufferPointer<freehold_index_field_t> {
    let given = try Given.array(fields, count, "fields")
    guard allowed.contains(count) else {
        throw FreeholdError(.invalidArgument, "\(what) is over \(allowed.lowerBound) to \(allowed.upperBound) fields, not \(count)")
    }
    return given
}

extension FullTextIndex {
    fileprivate init(given: UnsafePointer<freehold_index_field_t>?, _ count: Int) throws(FreeholdError) {
        var all: [FullTextField] = []
        for field in try givenFields(given, count, 1...Int(FREEHOLD_INDEX_LENGTH), "a full-text index") {
            all.append(FullTextField(try field.path.string("path of a field"), weight: field.weight == 0 ? 1 : field.weight))
        }
        self.init(all)
    }
}

/// The fields of an index of places.
private enum PlaceFields {
    /// The link to an object with `type` and `coordinates`; nil if the class has them.
    case link(String?)
    case pair(String, String)

    init(given: UnsafePointer<freehold_index_field_t>?, _ count: Int) throws(FreeholdError) {
        var paths: [String] = []
        for field in try givenFields(given, count, 0...2, "an index of places") { paths.append(try field.path.string("path of a field")) }
        self = paths.count == 2 ? .pair(paths[0], paths[1]) : .link(paths.first)
    }
}

// MARK: Descriptions

extension Reader {
    fileprivate func derivedIndexes() throws(FreeholdError) -> DerivedStatuses {
        switch source {
        case .snapshot(let snapshot):
            DerivedStatuses(texts: try snapshot.fullTextIndexes(), places: try snapshot.placeIndexes(),
                            collations: try snapshot.collationIndexes(), vectors: try snapshot.vectorIndexes())
        case .transaction(let transaction):
            DerivedStatuses(texts: try transaction.fullText.statuses(), places: try transaction.places.statuses(),
                            collations: try transaction.collations.statuses(), vectors: try transaction.vectors.statuses())
        }
    }
}

/// The indexes of each kind that all classes have.
private struct DerivedStatuses {
    let texts: [DerivedIndexStatus<FullTextIndex>]
    let places: [DerivedIndexStatus<PlaceIndex>]
    let collations: [DerivedIndexStatus<CollationIndex>]
    let vectors: [DerivedIndexStatus<VectorIndex>]
}

extension ReadClass {
    fileprivate func info(_ status: DerivedIndexStatus<FullTextIndex>) -> freehold_derived_index_info_t {
        var info = info(status, FREEHOLD_INDEX_FULL_TEXT, status.index.fields.map { ($0.path, $0.weight) })
        info.words = UInt64(status.words)
        if let language = status.index.language { info.language = kept(language) }
        return info
    }

    fileprivate func info(_ status: DerivedIndexStatus<PlaceIndex>) -> freehold_derived_index_info_t {
        info(status, FREEHOLD_INDEX_PLACES, status.index.paths.map { ($0, 1) })
    }

    fileprivate func info(_ status: DerivedIndexStatus<CollationIndex>) -> freehold_derived_index_info_t {
        var info = info(status, FREEHOLD_INDEX_COLLATION, [(status.index.property, 1)])
        info.language = kept(status.index.collation)
        return info
    }

    fileprivate func info(_ status: DerivedIndexStatus<VectorIndex>) -> freehold_derived_index_info_t {
        var info = info(status, FREEHOLD_INDEX_VECTORS, [(status.index.property, 1)])
        info.dimensions = UInt64(status.index.dimensions)
        info.elements = UInt32(VectorElements.allCases.firstIndex(of: status.index.elements) ?? 0)
        info.metric = UInt32(VectorMetric.allCases.firstIndex(of: status.index.metric) ?? 0)
        return info
    }

    /// What indexes of all kinds have.
    private func info<Index>(_ status: DerivedIndexStatus<Index>, _ kind: Int,
                             _ fields: [(path: String, weight: Double)]) -> freehold_derived_index_info_t {
        var info = freehold_derived_index_info_t()
        info.kind = freehold_index_kind_t(kind)
        info.state = status.state.number
        info.percent = UInt32(status.percent)
        info.documents = UInt64(status.documents)
        info.language = kept("")
        let told = fields.prefix(Int(FREEHOLD_INDEX_LENGTH))
        info.field_count = UInt32(told.count)
        withUnsafeMutableBytes(of: &info.fields) { place in
            for (at, field) in told.enumerated() {
                place.storeBytes(of: freehold_index_field_t(path: kept(field.path), weight: field.weight),
                                 toByteOffset: at * MemoryLayout<freehold_index_field_t>.stride, as: freehold_index_field_t.self)
            }
        }
        return info
    }
}

extension DerivedIndexState {
    fileprivate var number: freehold_index_state_t {
        switch self {
        case .complete: freehold_index_state_t(FREEHOLD_INDEX_COMPLETE)
        case .building: freehold_index_state_t(FREEHOLD_INDEX_BUILDING)
        case .older: freehold_index_state_t(FREEHOLD_INDEX_OLDER)
        case .newer: freehold_index_state_t(FREEHOLD_INDEX_NEWER)
        case .unavailable: freehold_index_state_t(FREEHOLD_INDEX_UNAVAILABLE)
        }
    }
}
