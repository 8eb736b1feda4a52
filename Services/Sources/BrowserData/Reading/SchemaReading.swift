import FreeholdEngine
import FreeholdTools

/// The classes of a version: as data, as a picture, as code.
public enum SchemaReading {
    public static func json(_ snapshot: Snapshot, of file: OpenFile) throws -> [UInt8] {
        file.noteShown(try snapshot.classes)
        var output = JSONOutput(capacity: 16 << 10)
        try SchemaWriter(snapshot: snapshot).write(to: &output)
        return output.bytes
    }

    /// Where the boxes and arrows of a picture lie. The page draws it, so that its parts can be pressed.
    public static func picture(_ snapshot: Snapshot) throws -> [UInt8] {
        let picture = SchemaPicture(try snapshot.classes)
        return JSONOutput.object { output in
            output.field("width", Int(picture.width.rounded(.up)))
            output.field("height", Int(picture.height.rounded(.up)))
            output.array("boxes") { output in for box in picture.boxes { output.elementObject { write(box, to: &$0) } } }
            output.array("arrows") { output in for arrow in picture.arrows { output.elementObject { write(arrow, to: &$0) } } }
        }
    }

    private static func write(_ box: SchemaPicture.Box, to output: inout JSONOutput) {
        output.field("class", box.className)
        output.field("remark", box.remark)
        output.field("x") { $0.real(box.x) }
        output.field("y") { $0.real(box.y) }
        output.field("width") { $0.real(box.width) }
        output.field("height") { $0.real(box.height) }
        output.field("headHeight") { $0.real(SchemaPicture.headHeight) }
        output.field("rowHeight") { $0.real(SchemaPicture.rowHeight) }
        output.array("rows") { output in
            for row in box.rows {
                output.elementObject { output in
                    output.field("name", row.name)
                    output.field("type", row.type)
                    output.field("remarks", row.remarks)
                }
            }
        }
    }

    private static func write(_ arrow: SchemaPicture.Arrow, to output: inout JSONOutput) {
        output.field("from", arrow.from)
        output.field("to", arrow.to)
        output.field("property", arrow.property)
        output.field("cardinality", arrow.cardinality)
        output.field("title", arrow.title)
        output.array("points") { output in
            for (x, y) in arrow.points {
                output.element { output in
                    output.array { output in
                        output.element { $0.real(x) }
                        output.element { $0.real(y) }
                    }
                }
            }
        }
    }

    /// Model classes of the file.
    public static func models(_ language: String, _ snapshot: Snapshot) throws -> [UInt8] {
        let classes = try snapshot.classes
        let text = switch try self.language(language) {
        case .swift: SwiftModels(classes).text
        case .c: CModels(classes).text
        case .cpp: CppModels(classes).text
        case .python: PythonModels(classes).text
        }
        return JSONOutput.object { $0.field("text", text) }
    }

    /// A program that runs a query.
    public static func snippet(
        _ language: String, _ query: String, of className: String, _ file: OpenFile, _ snapshot: Snapshot
    ) throws -> [UInt8] {
        let program = try QueryProgram(
            snapshot.classes, className, query, path: file.path, schemaVersion: snapshot.schemaVersion, isEncrypted: file.isEncrypted)
        let text = program.text(try self.language(language))
        return JSONOutput.object { $0.field("text", text) }
    }

    private static func language(_ name: String) throws -> ProgrammingLanguage {
        guard let language = ProgrammingLanguage(rawValue: name) else {
            throw BrowserError(.malformedInput, "'language' must be swift, c, cpp or python, not '\(name)'")
        }
        return language
    }
}
