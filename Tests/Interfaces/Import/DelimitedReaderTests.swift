import Testing

@testable import FreeholdImport

@Suite struct DelimitedReaderTests {
    @Test func rowsBecomeRecordsWithTheNamesOfTheHeader() {
        let reading = Reading("id,name\n1,Ann\n2,\n3,\"\"\n", as: .csv)
        #expect(reading.records == [
            #"{"id":"1","name":"Ann"}"#, #"{"id":"2","name":null}"#, #"{"id":"3","name":""}"#,
        ])
        #expect(reading.lines == [2, 3, 4])
    }

    @Test func quotesHoldDelimitersNewlinesAndQuotes() {
        let reading = Reading("a,b\r\n\"x,\"\"y\"\"\",\"two\r\nlines\"\r\n\"\",z", as: .csv)
        #expect(reading.records == [#"{"a":"x,\"y\"","b":"two\r\nlines"}"#, #"{"a":"","b":"z"}"#])
        #expect(reading.lines == [2, 4])
    }

    @Test(arguments: 1...40)
    func nothingDependsOnWhereBlocksEnd(blockLength: Int) {
        let text = "\u{FEFF}näme,\"q\"\"uoted\",c\r\n1,\"a\r\n\"\"b\"\"\",\"\"\r\n\r\n,\"x\",long \(String(repeating: "y", count: 90))\r\nä,b,c\r\nbad\r\n,,"
        let whole = Reading(text, as: .csv)
        #expect(whole.records.count == 4 && whole.errors.count == 1)
        #expect(Reading(Array(text.utf8), as: .csv, blockLength: blockLength) == whole)
    }

    @Test func aRowOfAnotherLengthIsABadRow() {
        let reading = Reading("a,b\n1\n1,2,3\n1,2\n", as: .csv)
        #expect(reading.records == [#"{"a":"1","b":"2"}"#])
        #expect(reading.errors == ["line 2: the row has 1 field, the header has 2", "line 3: the row has 3 fields, the header has 2"])
    }

    @Test func aBadRowDoesNotTakeTheNextOneWithIt() {
        let reading = Reading(Array("a,b\n\"x\"y,2\n1,".utf8) + [0xC0] + Array("\n3,4\n".utf8), as: .csv, blockLength: 3)
        #expect(reading.records == [#"{"a":"3","b":"4"}"#])
        #expect(reading.errors.count == 2)
    }

    @Test func `bytes that are not UTF-8 are told with the line they are on`() {
        let reading = Reading(Array("a,b\n1,".utf8) + [0xC0] + Array("\n3,4\n".utf8) + [0xFF] + Array(",5\n\"x\ny\",\"".utf8) + [0xFE] + Array("\"\n".utf8), as: .csv, blockLength: 4)
        #expect(reading.errors == ["line 2: a field is not UTF-8", "line 4: a field is not UTF-8", "line 6: a field is not UTF-8"])
        #expect(Reading([0xFF, 0x2C, 0x62, 0x0A], as: .csv, blockLength: 9).errors == ["line 1: a field is not UTF-8"])
    }

    @Test func anUnclosedQuoteEndsTheReadingAndNamesItsPlace() {
        let reading = Reading("a,b\n1,2\n1,\"2\n3,4\n", as: .csv)
        #expect(reading.records.count == 1)
        #expect(reading.errors == ["line 3, column 4: the quote opened here is not closed"])
    }

    @Test func emptyLinesAreSkippedUnlessThereIsOneColumn() {
        #expect(Reading("a,b\n\n1,2\n\n\n", as: .csv).records.count == 1)
        #expect(Reading("a\n\n1\n", as: .csv).records == [#"{"a":null}"#, #"{"a":"1"}"#])
    }

    @Test func aHeaderHasToNameEveryColumnOnce() {
        #expect(Reading("", as: .csv).errors.first?.contains("empty") == true)
        #expect(Reading("a,,b\n", as: .csv).errors == ["line 1: column 2 has no name; the first row names the columns"])
        #expect(Reading("a,b,a\n", as: .csv).errors == ["line 1: two columns are named 'a'"])
    }

    @Test func tabsSeparateTheFieldsOfTSV() {
        #expect(Reading("a\tb\n1,5\t\"x\ty\"\n", as: .tsv).records == [#"{"a":"1,5","b":"x\ty"}"#])
    }

    @Test func aZeroByteIsPartOfAField() {
        #expect(Reading("a,b\nx\0y,\"\0\"\n", as: .csv).records == [#"{"a":"x\u0000y","b":"\u0000"}"#])
    }
}
