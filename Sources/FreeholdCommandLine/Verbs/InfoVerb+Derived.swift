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

extension DerivedIndexStatus<FullTextIndex> {
    /// `Article: title, body: 5,000 objects, 123,456 words`, or how far it is.
    var text: String {
        let language = index.language.map { ", \(DisplayText.visible($0))" } ?? ""
        let place = "\(DisplayText.visible(className)): \(DisplayText.visible(index.paths))\(language): "
        return place + state.text(documents, percent, ", \(Figures.count(words, "word"))")
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue { json(["fields": index.json], ["words": .int(Int64(words)), "language": index.jsonLanguage]) }
}

extension PlaceIndex {
    /// The two properties as an array of JSON.
    var json: ImportedValue { .array(paths.map { .text($0) }) }
}

extension DerivedIndexStatus<PlaceIndex> {
    /// `Shop: location: 5,000 objects`, or how far it is.
    var text: String {
        "\(DisplayText.visible(className)): \(DisplayText.visible(index.place)): " + state.text(documents, percent, "")
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue { json(["fields": index.json]) }
}

extension VectorIndex {
    /// The property and the vectors as an object of JSON.
    var json: ImportedValue { JSONObject(members).value }

    fileprivate var members: KeyValuePairs<String, ImportedValue> {
        [
            "property": .text(property), "dimensions": .int(Int64(dimensions)), "elements": .text(elements.rawValue),
            "metric": .text(metric.rawValue),
        ]
    }
}

extension CollationIndex {
    /// The property and the collation as an object of JSON.
    var json: ImportedValue { JSONObject(members).value }

    fileprivate var members: KeyValuePairs<String, ImportedValue> { ["property": .text(property), "collation": .text(collation)] }
}

extension DerivedIndexStatus<CollationIndex> {
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
    var json: ImportedValue { json(index.members) }
}

extension DerivedIndexStatus<VectorIndex> {
    /// `Item: embedding, 384 float32, cosine: 5,000 objects`, or how far it is.
    var text: String {
        "\(DisplayText.visible(className)): \(DisplayText.visible(index.property)), \(index.shape): " + state.text(documents, percent, "")
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue { json(index.members) }
}

extension DerivedIndexStatus {
    /// An object of JSON: its class, members of its own, what indexes of all kinds have, and further members.
    fileprivate func json(_ own: KeyValuePairs<String, ImportedValue>,
                          _ more: KeyValuePairs<String, ImportedValue> = [:]) -> ImportedValue {
        let common: KeyValuePairs<String, ImportedValue> = [
            "state": .text(state.name), "percent": .int(Int64(percent)), "documents": .int(Int64(documents)),
        ]
        return JSONObject([("class", .text(className))] + Array(own) + Array(common) + Array(more)).value
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
