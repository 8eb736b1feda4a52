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
        let place = "\(DisplayText.visible(className)): \(DisplayText.visible(index.paths)): "
        switch state {
        case .complete: return place + "\(Figures.count(documents, "object")), \(Figures.count(words, "word"))"
        case .building: return place + "being built, \(percent) %, \(Figures.count(documents, "object"))"
        case .older: return place + "of an older version, not used; `freehold rebuild` builds it anew"
        case .newer: return place + "of a newer version, not used by this program"
        }
    }

    /// The numbers as an object of JSON.
    var json: ImportedValue {
        let state = switch state {
        case .complete: "complete"
        case .building: "building"
        case .older: "older"
        case .newer: "newer"
        }
        return JSONObject([
            "class": .text(className), "fields": index.json, "state": .text(state), "percent": .int(Int64(percent)),
            "documents": .int(Int64(documents)), "words": .int(Int64(words)),
        ]).value
    }
}
