import Testing

@testable import FreeholdImport

@Suite struct DetectionTests {
    private static let texts: [(String, RecordFormat, Int)] = [
        ("a,b\n1,2\n3,4\n", .csv, 2), ("a\tb\n1\t2\n", .tsv, 1), ("\u{FEFF}{\"a\":1}\n{\"a\":2}\n", .json, 2), (" \n\t[{\"a\":1}]", .json, 1),
        ("Package: x\nVersion: 1\n\nPackage: y\n", .control, 2), ("\n\r\na,b\n1,2\n", .csv, 1), ("\ta\tb\n1\t2\t3\n", .tsv, 0), ("a\n1\n2", .csv, 2),
        ("a:x,b\n1,2\n", .csv, 1), ("\(String(repeating: "long", count: 40_000))\tb\n1\t2\n", .csv, 1),
    ]

    /// A pipe gives its bytes once, and in what pieces it likes.
    @Test(arguments: texts.indices, [1, 2, 3, 7, 4096, 1 << 18])
    func `a format is detected from an input that is then read from its beginning`(index: Int, blockLength: Int) throws {
        let (text, format, count) = Self.texts[index]
        var input = ByteInput(text, blockLength: blockLength)
        let detected = try RecordFormat(startOf: &input)
        #expect(detected == format || text.utf8.count > 100_000)
        let reader = detected.reader(input)
        var records = 0
        while let record = try? reader.next() { records += record.object.values.isEmpty ? 0 : 1 }
        #expect(records == count)
    }

    @Test(arguments: ["", "\n \r\n\t\n", "\u{FEFF}"])
    func `an empty text has no format`(text: String) {
        var input = ByteInput(text)
        #expect(throws: ImportError(.text, "the text is empty, so its format cannot be detected; name the format")) { _ = try RecordFormat(startOf: &input) }
    }

    @Test func `what is no text is refused by name`() {
        let bytes: [([UInt8], String)] = [
            ([0x1F, 0x8B, 8, 0], "gzip -dc"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd -dc"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz -dc"),
            (Array("PK\u{3}\u{4}".utf8), "unzip -p"), (Array("SQLite format 3\0".utf8), "zero bytes"), ([0xFF, 0xFE, 0x61, 0], "iconv"),
        ]
        for (bytes, word) in bytes {
            var input = ByteInput(bytes, blockLength: 1)
            let error = #expect(throws: ImportError.self) { _ = try RecordFormat(startOf: &input) }
            #expect(error?.message.contains(word) == true, "\(String(describing: error))")
        }
        #expect(Reading([0x1F, 0x8B, 8, 0], as: .csv, blockLength: 9).errors.first?.contains("compressed") == true)
    }
}
