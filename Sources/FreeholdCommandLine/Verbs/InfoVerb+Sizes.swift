import FreeholdEngine
import FreeholdImport

/// The space that a version uses, as `info --sizes` shows it.
extension SpaceUse {
    /// Rows of classes and properties, then the rest of the file, then the sum.
    func table() -> TextTable {
        let numbers = ["bytes", "values", "long values", "collections", "index"]
        var table = TextTable([.init(heading: "class"), .init(heading: "property")] + numbers.map { .init(heading: $0, isNumeric: true) })
        for own in classes {
            table.add([own.name, "", Self.text(own.bytes), "", "", "", ""])
            for property in own.properties {
                let parts = [property.valueBytes, property.longValueBytes, property.collectionBytes, property.indexBytes]
                table.add(["", property.name, Self.text(property.bytes)] + parts.map { $0 == 0 ? "" : Self.text($0) })
            }
            for index in own.indexes {
                table.add(["", "(\(index.properties.joined(separator: ", ")))", Self.text(index.bytes), "", "", "", Self.text(index.bytes)])
            }
            for index in own.derivedIndexes {
                let language = index.language.map { " in \($0)" } ?? ""
                let name = "(\(index.kind): \(index.fields.joined(separator: ", "))\(language))"
                table.add(["", name, Self.text(index.bytes), "", "", "", Self.text(index.bytes)])
            }
            for (name, bytes) in [("keys and structure", own.structureBytes), ("recent objects", own.recentBytes)] where bytes > 0 {
                table.add(["", name, Self.text(bytes), "", "", "", ""])
            }
        }
        for (name, bytes) in [("schema", schemaBytes), ("space map", spaceMapBytes), ("header pages", headerBytes), ("other", otherBytes),
                              ("unused parts of pages", unusedBytes), ("all pages in use", usedBytes)] {
            table.add([name, "", Self.text(bytes), "", "", "", ""])
        }
        return table
    }

    private static func text(_ bytes: UInt64) -> String { Figures.bytes(Int(clamping: bytes)) }

    /// The numbers as an object of JSON.
    var json: ImportedValue {
        func number(_ bytes: UInt64) -> ImportedValue { .int(Int64(clamping: bytes)) }
        let classes = classes.map { own in
            JSONObject([
                "name": .text(own.name), "bytes": number(own.bytes), "structureBytes": number(own.structureBytes),
                "recentBytes": number(own.recentBytes),
                "properties": .array(own.properties.map { property in
                    JSONObject([
                        "name": .text(property.name), "bytes": number(property.bytes), "valueBytes": number(property.valueBytes),
                        "longValueBytes": number(property.longValueBytes), "collectionBytes": number(property.collectionBytes),
                        "indexBytes": number(property.indexBytes),
                    ]).value
                }),
                "indexes": .array(own.indexes.map { index in
                    JSONObject(["properties": .array(index.properties.map { .text($0) }), "bytes": number(index.bytes)]).value
                }),
                "derivedIndexes": .array(own.derivedIndexes.map { index in
                    JSONObject([
                        "kind": .text(index.kind), "fields": .array(index.fields.map { .text($0) }), "bytes": number(index.bytes),
                        "language": index.language.map { .text($0) } ?? .null,
                    ]).value
                }),
            ]).value
        }
        return JSONObject([
            "version": number(version.rawValue), "classes": .array(classes), "schemaBytes": number(schemaBytes),
            "spaceMapBytes": number(spaceMapBytes), "headerBytes": number(headerBytes), "otherBytes": number(otherBytes),
            "unusedBytes": number(unusedBytes), "usedBytes": number(usedBytes),
        ]).value
    }
}
