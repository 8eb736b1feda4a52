import FreeholdEngine
import FreeholdImport
import FreeholdTools

extension FullTextIndex {
    /// The fields as an array of JSON.
    var json: ImportedValue {
        .array(fields.map { JSONObject(["path": .text($0.path), "weight": .double($0.weight)]).value })
    }

    /// The language, or null.
    var jsonLanguage: ImportedValue { language.map { .text($0) } ?? .null }
}

extension FullTextIndexStatus {
    /// `Article: title, body: 5,000 objects, 123,456 words`, or how far it is.
    var text: String {
        let language = index.language.map { ", \(DisplayText.visible($0))" } ?? ""
        let place = "\(DisplayText.visible(className)): \(DisplayText.visible(index.paths))\(language): "
        return place + state.text(documents, percent, ", \(Figures.count(words, "word"))")
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue {
        JSONObject([
            "class": .text(className), "fields": index.json, "state": .text(state.name), "percent": .int(Int64(percent)),
            "documents": .int(Int64(documents)), "words": .int(Int64(words)), "language": index.jsonLanguage,
        ]).value
    }
}

extension PlaceIndex {
    /// The two properties as an array of JSON.
    var json: ImportedValue { .array(paths.map { .text($0) }) }
}

extension PlaceIndexStatus {
    /// `Shop: location: 5,000 objects`, or how far it is.
    var text: String {
        "\(DisplayText.visible(className)): \(DisplayText.visible(index.place)): " + state.text(documents, percent, "")
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue {
        JSONObject([
            "class": .text(className), "fields": index.json, "state": .text(state.name), "percent": .int(Int64(percent)),
            "documents": .int(Int64(documents)),
        ]).value
    }
}

extension VectorIndex {
    /// The property and the vectors as an object of JSON.
    var json: ImportedValue {
        JSONObject([
            "property": .text(property), "dimensions": .int(Int64(dimensions)), "elements": .text(elements.rawValue),
            "metric": .text(metric.rawValue),
        ]).value
    }
}

extension CollationIndex {
    /// The property and the collation as an object of JSON.
    var json: ImportedValue { JSONObject(["property": .text(property), "collation": .text(collation)]).value }
}

extension CollationIndexStatus {
    /// `Person: name COLLATE "de": 5,000 objects`, or how far it is.
    var text: String {
        let place = "\(DisplayText.visible(className)): \(DisplayText.visible(index.order)): "
        return switch state {
        case .older: place + "of an older version of ICU, not used; `freehold rebuild` builds it anew"
        case .newer: place + "of a newer version of ICU, not used by this program"
        case .unavailable: place + "not used: this machine has no ICU for its language"
        case .complete, .building: place + state.text(documents, percent, "")
        }
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue {
        JSONObject([
            "class": .text(className), "property": .text(index.property), "collation": .text(index.collation),
            "state": .text(state.name), "percent": .int(Int64(percent)), "documents": .int(Int64(documents)),
        ]).value
    }
}

extension VectorIndexStatus {
    /// `Item: embedding, 384 float32, cosine: 5,000 objects`, or how far it is.
    var text: String {
        "\(DisplayText.visible(className)): \(DisplayText.visible(property)), \(index.shape): " + state.text(documents, percent, "")
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue {
        JSONObject([
            "class": .text(className), "property": .text(property), "dimensions": .int(Int64(dimensions)),
            "elements": .text(elements.rawValue), "metric": .text(metric.rawValue), "state": .text(state.name),
            "percent": .int(Int64(percent)), "documents": .int(Int64(documents)),
        ]).value
    }
}

extension DerivedIndexState {
    fileprivate var name: String {
        switch self {
        case .complete: "complete"
        case .building: "building"
        case .older: "older"
        case .newer: "newer"
        case .unavailable: "unavailable"
        }
    }

    /// The state in words, with the number of objects that the index has.
    fileprivate func text(_ documents: Int, _ percent: Int, _ more: String) -> String {
        switch self {
        case .complete: Figures.count(documents, "object") + more
        case .building: "being built, \(percent) %, \(Figures.count(documents, "object"))"
        case .older: "of an older version or another stemmer, not used; `freehold rebuild` builds it anew"
        case .newer: "of a newer version, not used by this program"
        case .unavailable: "not used: its language needs the library libstemmer (Debian: libstemmer0d)"
        }
    }
}
