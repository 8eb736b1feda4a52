/// The step NEAREST with resolved names.
final class BoundNearest {
    let path: BoundPath
    let measure: VectorMeasure
    let count: Int

    init(_ path: BoundPath, _ measure: VectorMeasure, count: Int) {
        self.path = path
        self.measure = measure
        self.count = count
    }

    /// Asks for the memory of the vector of an object, if it has a block of its own.
    func approach(_ row: Row) throws(FreeholdError) {
        guard let column = path.column else { return }
        try row.reading { state, place throws(FreeholdError) in
            guard let (value, _) = try state.external(place, try state.index(of: column)) else { return }
            state.access.approach(value, lines: Self.lines)
        }
    }

    /// How many cache lines are asked for: the processor notices that the following ones are read, too.
    private static let lines = 8

    /// How near the vector of the context's object is; nil if it has none. Notes what other lengths vectors have.
    func score(_ context: QueryContext, _ lengths: inout VectorLengths) throws(FreeholdError) -> Double? {
        var score: Double?
        func add(_ bytes: UnsafeRawBufferPointer) {
            score = measure.score(bytes)
            lengths.add(bytes.count, wanted: measure.byteCount)
        }
        if let column = path.column {
            // Safe: nothing else is read while the bytes are used.
            try context.rows[0].reading { state, place throws(FreeholdError) in add(try state.bytes(place, try state.index(of: column))) }
        } else if case .data(let bytes) = try path.value(context) {
            bytes.withUnsafeBytes { add($0) }
        }
        return score
    }
}

/// Whether vectors of the wanted length were read, and another length of others.
struct VectorLengths {
    private var hasWanted = false
    private(set) var other: Int?

    mutating func add(_ bytes: Int, wanted: Int) {
        if bytes == wanted { hasWanted = true } else if bytes > 0 { other = bytes }
    }

    mutating func add(_ more: VectorLengths) {
        hasWanted = hasWanted || more.hasWanted
        other = other ?? more.other
    }

    /// Throws if vectors were read, but none of the wanted length.
    func requireWanted(_ nearest: BoundNearest) throws(FreeholdError) {
        guard !hasWanted, let other else { return }
        let measure = nearest.measure
        let column = nearest.path.source.place.column
        let place = column == 0 ? "" : "query, column \(column): "
        throw FreeholdError(.typeMismatch, "\(place)NEAREST: the vector has \(measure.wanted.count) dimensions, \(measure.byteCount) bytes "
            + "as \(measure.elements.rawValue), and values of '\(nearest.path.text)' have \(other) bytes")
    }
}

extension QueryBinder {
    func nearest(_ nearest: QueryNearest) throws(FreeholdError) -> BoundNearest {
        let path = nearest.path
        if path.steps.contains(where: { if case .aggregate = $0 { true } else { false } }) {
            throw error(.typeMismatch, "NEAREST takes a property; '\(path.written)' is an aggregate", at: path.place)
        }
        let bound = try boundPath(path, path.steps[...])
        guard bound.type == .data, !bound.isToMany, !bound.isCollection else {
            let type = bound.isToMany || bound.isCollection ? "several values" : "of type \(bound.type.name)"
            throw error(.typeMismatch, "NEAREST takes a property of type data with vectors; '\(path.written)' is \(type)", at: path.place)
        }
        let measure: VectorMeasure
        do { measure = try VectorMeasure(nearest.vector, nearest.metric, nearest.elements) } catch {
            throw self.error(error.code, "NEAREST: \(error.message)", at: path.place)
        }
        if nearest.count < 0 { throw error(.malformedInput, "NEAREST takes a number of objects that is not negative", at: path.place) }
        return BoundNearest(bound, measure, count: nearest.count)
    }
}
