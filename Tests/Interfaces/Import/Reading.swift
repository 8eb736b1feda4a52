@testable import FreeholdImport

/// What a reader makes of a text: its records, and its errors by their wording.
struct Reading: Equatable {
    var records: [String] = []
    var lines: [Int] = []
    var errors: [String] = []

    /// Reads to the end. After a record's error it goes on; after any other it checks that nothing more comes.
    init(_ text: [UInt8], as format: RecordFormat, blockLength: Int) {
        let reader = format.reader(ByteInput(text, blockLength: blockLength))
        while true {
            do throws(ImportError) {
                guard let record = try reader.next() else { break }
                records.append(ImportedValue.object(record.object).jsonText)
                lines.append(record.line)
            } catch {
                errors.append(error.description)
                if error.kind != .record {
                    if (try? reader.next()) != nil { errors.append("and yet there was more") }
                    break
                }
            }
        }
    }

    init(_ text: String, as format: RecordFormat, blockLength: Int = 1 << 16) {
        self.init(Array(text.utf8), as: format, blockLength: blockLength)
    }
}
