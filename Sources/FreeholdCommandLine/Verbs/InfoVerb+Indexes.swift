import FreeholdEngine
import FreeholdImport
import FreeholdTools

extension FullTextIndex {
    /// The fields as an array of JSON.
    var json: ImportedValue {
        .array(fields.map { JSONObject(["path": .text($0.path), "weight": .double($0.weight)]).value })
    }
}

extension FullTextIndexStatus {
    /// `Article: title, body: 5,000 objects, 123,456 words`, or how far it is.
    var text: String {
        let words = state == .complete ? ", \(Figures.count(words, "word"))" : ""
        return "\(DisplayText.visible(className)): \(DisplayText.visible(index.paths)): \(state.text(documents, percent))\(words)"
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue {
        JSONObject([
            "class": .text(className), "fields": index.json, "state": .text(state.name), "percent": .int(Int64(percent)),
            "documents": .int(Int64(documents)), "words": .int(Int64(words)),
        ]).value
    }
}

extension PlaceIndexStatus {
    /// `Shop: latitude, longitude: 5,000 objects`, or how far it is.
    var text: String {
        "\(DisplayText.visible(className)): \(DisplayText.visible(paths.joined(separator: ", "))): \(state.text(documents, percent))"
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue {
        JSONObject([
            "class": .text(className), "properties": .array(paths.map { .text($0) }), "state": .text(state.name),
            "percent": .int(Int64(percent)), "documents": .int(Int64(documents)),
        ]).value
    }
}

extension [[String]] {
    /// The properties of indexes of places as arrays of JSON.
    var placesJSON: ImportedValue { .array(map { .array($0.map { .text($0) }) }) }
}

extension DerivedIndexState {
    fileprivate func text(_ documents: Int, _ percent: Int) -> String {
        switch self {
        case .complete: Figures.count(documents, "object")
        case .building: "being built, \(percent) %, \(Figures.count(documents, "object"))"
        case .older: "of an older version, not used; `freehold rebuild` builds it anew"
        case .newer: "of a newer version, not used by this program"
        }
    }

    fileprivate var name: String {
        switch self {
        case .complete: "complete"
        case .building: "building"
        case .older: "older"
        case .newer: "newer"
        }
    }
}
