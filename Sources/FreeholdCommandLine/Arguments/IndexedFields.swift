import ArgumentParser
import FreeholdEngine

/// The properties of indexes that a command line declares: `title,body` or `author.name`, with a language as
/// `title,body:english`, and `embedding,384` for vectors.
struct IndexedFields {
    private struct Vectors {
        let property: String
        /// Nil where only the property was named.
        var dimensions: Int?
        /// Nil where none was named: float32.
        var elements: VectorElements?
        /// Nil where none was named: cosine.
        var metric: VectorMetric?

        var index: VectorIndex {
            VectorIndex(property, dimensions: dimensions ?? 0, elements: elements ?? .float32, metric: metric ?? .cosine)
        }
        var text: String { dimensions == nil ? property : "\(property), \(index.shape)" }

        init(_ property: String) { self.property = property }

        init(_ index: VectorIndex) {
            (property, dimensions, elements, metric) = (index.property, index.dimensions, index.elements, index.metric)
        }

        /// Whether all that was named is so in an index.
        func fits(_ index: VectorIndex) -> Bool {
            property.isSame(as: index.property) && [nil, index.dimensions].contains(dimensions)
                && [nil, index.elements].contains(elements) && [nil, index.metric].contains(metric)
        }
    }

    private let fullText: [FullTextIndex]
    private let places: [[String]]
    private let vectors: [Vectors]
    private let collations: [CollationIndex]

    /// - Throws: `ValidationError` for an empty name, for places that are not two properties, for wrong options of vectors,
    ///   and for a collation without a property and a language.
    init(fullText: [String], places: [String] = [], vectors: [String] = [], collations: [String] = []) throws(ValidationError) {
        var texts: [FullTextIndex] = [], pairs: [[String]] = []
        for list in fullText { texts.append(try Self.index(of: list)) }
        for list in places {
            let names = try Self.names(list, "--places")
            if names.count == 2 { pairs.append(names) } else { pairs.append(try Self.parts(of: names)) }
        }
        var shapes: [Vectors] = []
        for list in vectors { shapes.append(try Self.shape(of: Self.names(list, "--vectors"))) }
        var orders: [CollationIndex] = []
        for list in collations {
            let names = try Self.names(list, "--collation")
            guard names.count == 2 else {
                throw ValidationError("--collation takes a property and a language, as name,de, not '\(list)'")
            }
            orders.append(CollationIndex(names[0], collation: names[1]))
        }
        (self.fullText, self.places, self.vectors, self.collations) = (texts, pairs, shapes, orders)
    }

    /// `title,body:english`: the properties, and the language if one is given.
    private static func index(of list: String) throws(ValidationError) -> FullTextIndex {
        let parts = try parts(of: list, "--full-text"), names = parts.map(\.name)
        if parts.dropLast().contains(where: { $0.language != nil }) {
            throw ValidationError("an index has one language, which follows the last of its properties, as in "
                + "\(names.joined(separator: ",")):english; a name with a colon stands in backquotes")
        }
        let language = parts.last?.language
        if let complaint = language.flatMap(FullTextIndex.complaint) { throw ValidationError(complaint) }
        return FullTextIndex(names.map { FullTextField($0) }, language: language)
    }

    /// `embedding,384,float16,dot`: the property, the number of dimensions, then elements and metric in any order.
    private static func shape(of names: [String]) throws(ValidationError) -> Vectors {
        var vectors = Vectors(names[0]), elementNames: [String] = [], metricNames: [String] = []
        for (place, name) in names.enumerated().dropFirst() {
            if place == 1 {
                guard let number = Int(name), number > 0 else {
                    throw ValidationError("--vectors takes a property and the number of its dimensions, as embedding,384; "
                        + "'\(name)' is no number of dimensions")
                }
                vectors.dimensions = number
            } else if let elements = VectorElements(rawValue: name) {
                vectors.elements = elements
                elementNames.append(name)
            } else if let metric = VectorMetric(rawValue: name) {
                vectors.metric = metric
                metricNames.append(name)
            } else {
                let known = (VectorElements.allCases.map(\.rawValue) + VectorMetric.allCases.map(\.rawValue)).joined(separator: ", ")
                throw ValidationError("'\(name)' is no option of --vectors; these are \(known)")
            }
        }
        for names in [elementNames, metricNames] where names.count > 1 {
            throw ValidationError("--vectors takes one of \(names.joined(separator: " and ")), not both")
        }
        return vectors
    }

    /// - Throws: `ValidationError` for vectors without a number of dimensions.
    func requireDimensions() throws(ValidationError) {
        for vectors in vectors where vectors.dimensions == nil {
            throw ValidationError("--vectors needs the number of dimensions of '\(vectors.property)' too, as \(vectors.property),384")
        }
    }

    /// The names in a list with commas between them; one with a comma stands in backquotes, as in queries.
    private static func names(_ list: String, _ option: String) throws(ValidationError) -> [String] {
        try parts(of: list, option).map { part in part.language.map { "\(part.name):\($0)" } ?? part.name }
    }

    /// The names in a list, each with what follows a colon outside backquotes.
    private static func parts(of list: String, _ option: String) throws(ValidationError) -> [(name: String, language: String?)] {
        var parts: [(name: String, language: String?)] = [("", nil)], isQuoted = false
        for letter in list {
            switch letter {
            case "`": isQuoted.toggle()
            case "," where !isQuoted: parts.append(("", nil))
            case ":" where !isQuoted && parts[parts.count - 1].language == nil: parts[parts.count - 1].language = ""
            default:
                if parts[parts.count - 1].language == nil { parts[parts.count - 1].name.append(letter) } else {
                    parts[parts.count - 1].language?.append(letter)
                }
            }
        }
        if isQuoted || parts.contains(where: \.name.isEmpty) {
            throw ValidationError("\(option) takes names of properties with commas between them, in backquotes where a name has a comma "
                + "or a colon, not '\(list)'")
        }
        return parts
    }

    /// The two properties of the object that a link leads to.
    private static func parts(of names: [String]) throws(ValidationError) -> [String] {
        guard names.count == 1 else {
            throw ValidationError("--places takes a latitude and a longitude, or one link to an object with type and coordinates, "
                + "not \(names.count) properties")
        }
        if names[0].contains(".") {
            throw ValidationError("a place is a latitude and a longitude, as --places latitude,longitude or --places home.lat,home.lon, or "
                + "one link of the class to an object with the properties type and coordinates, as --places location; '\(names[0])' leads "
                + "over more than that link")
        }
        return ["\(names[0]).type", "\(names[0]).coordinates"]
    }

    var isEmpty: Bool { fullText.isEmpty && places.isEmpty && vectors.isEmpty && collations.isEmpty }

    /// `full-text index of title, body and index of places of latitude, longitude`.
    var text: String {
        let texts = fullText.map { "full-text index of \($0.paths)" + ($0.language.map { " in \($0)" } ?? "") }
        let pairs = places.map { "index of places of \($0.joined(separator: ", "))" }
        let others = vectors.map { "index of vectors of \($0.text)" } + collations.map { "index of \($0.order)" }
        return (texts + pairs + others).joined(separator: " and ")
    }

    /// Whether these are indexes of places alone.
    var arePlaces: Bool { !places.isEmpty && fullText.isEmpty && vectors.isEmpty && collations.isEmpty }

    /// Declares the indexes that the class lacks. One that is there stays as it is, with its weights, and with its language if none
    /// is given.
    ///
    /// - Throws: `.system` for a language that this machine has no stemmer for: the index would wait for another machine.
    func declare(in transaction: WriteTransaction, for name: String) throws(FreeholdError) {
        let known = transaction.classes.first { $0.name.isSame(as: name) }?.fullTextIndexes ?? []
        for index in fullText {
            guard let old = known.first(where: { $0.hasSameFields(as: index) }) else {
                try transaction.fullText.add(index, to: name)
                continue
            }
            guard let language = index.language, language != old.language else { continue }
            try transaction.fullText.add(FullTextIndex(old.fields, language: language), to: name)
        }
        for status in try transaction.fullText.statuses() where status.className.isSame(as: name) && status.state == .unavailable {
            guard let language = status.index.language, fullText.contains(where: { $0.hasSameFields(as: status.index) }) else { continue }
            throw FreeholdError(.system, "the language '\(language)' needs the library libstemmer; install it (Debian: libstemmer0d)")
        }
        for pair in places { try transaction.places.add(latitude: pair[0], longitude: pair[1], to: name) }
        for one in vectors {
            try transaction.vectors.add(one.index, to: name)
        }
        for index in collations { try transaction.collations.add(index, to: name) }
    }

    /// Those of the indexes that a class declares.
    func present(in transaction: WriteTransaction, for name: String) throws(FreeholdError) -> IndexedFields {
        let known = transaction.classes.first { $0.name.isSame(as: name) }
        let paths = try transaction.places.indexes(of: name)
        return IndexedFields(
            fullText.filter { index in known?.fullTextIndexes.contains { $0.hasSameFields(as: index) } == true },
            places.filter { pair in paths.contains { $0.isSame(as: pair) } },
            vectors.filter { one in known?.vectorIndexes.contains { $0.property.isSame(as: one.property) } == true },
            collations.filter { known?.collationIndexes.contains($0) == true })
    }

    /// Whether an index of a class is one of them.
    func contains(_ index: FullTextIndex) -> Bool { fullText.contains { $0.hasSameFields(as: index) } }
    func contains(_ index: PlaceIndex) -> Bool { places.contains { $0.isSame(as: index.paths) } }
    func contains(_ index: VectorIndex) -> Bool { vectors.contains { $0.property.isSame(as: index.property) } }
    func contains(_ index: CollationIndex) -> Bool { collations.contains(index) }

    /// Those that are not among others.
    func without(_ others: IndexedFields) -> IndexedFields {
        IndexedFields(
            fullText.filter { index in !others.fullText.contains { $0.hasSameFields(as: index) } },
            places.filter { pair in !others.places.contains { $0.isSame(as: pair) } },
            vectors.filter { one in !others.vectors.contains { $0.property.isSame(as: one.property) } },
            collations.filter { !others.collations.contains($0) })
    }

    private init(_ fullText: [FullTextIndex], _ places: [[String]], _ vectors: [Vectors], _ collations: [CollationIndex]) {
        (self.fullText, self.places, self.vectors, self.collations) = (fullText, places, vectors, collations)
    }

    /// Throws what `declare` would throw, and changes nothing.
    func check(in transaction: WriteTransaction, for name: String) throws(FreeholdError) {
        if isEmpty { return }
        let before = try transaction.savepoint()
        try declare(in: transaction, for: name)
        try transaction.rollback(to: before)
    }

    /// Drops the indexes; returns them as the class declared them.
    ///
    /// - Throws: `.invalidArgument` if the class has no such index, or one with other options than those that are named.
    func drop(in transaction: WriteTransaction, from name: String) throws(FreeholdError) -> IndexedFields {
        let known = transaction.classes.first { $0.name.isSame(as: name) }
        var texts: [FullTextIndex] = [], shapes: [Vectors] = []
        for index in fullText {
            let own = known?.fullTextIndexes.first { $0.hasSameFields(as: index) } ?? index
            if let language = index.language, own.language != language {
                let had = own.language.map { "in \($0)" } ?? "without a language"
                throw FreeholdError(.invalidArgument, "the full-text index of \(own.paths) of class '\(name)' is \(had), not in "
                    + "\(language); name it so, or without a language")
            }
            try transaction.fullText.drop(index, from: name)
            texts.append(own)
        }
        for pair in places { try transaction.places.drop(latitude: pair[0], longitude: pair[1], from: name) }
        for one in vectors {
            if let own = known?.vectorIndexes.first(where: { $0.property.isSame(as: one.property) }) {
                guard one.fits(own) else {
                    throw FreeholdError(.invalidArgument, "the index of vectors of '\(own.property)' of class '\(name)' is of "
                        + "\(own.shape), not of \(one.text); name its property alone, or what it is of")
                }
                shapes.append(Vectors(own))
            }
            try transaction.vectors.drop(one.property, from: name)
        }
        for index in collations { try transaction.collations.drop(index, from: name) }
        return IndexedFields(texts, places, shapes, collations)
    }
}
