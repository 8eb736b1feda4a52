import Testing

@testable import FreeholdImport

@Suite struct ControlReaderTests {
    @Test func stanzasBecomeRecords() {
        let text = "Package: a\nDescription: first\n second\n .\n\tthird\n\n\n# remark\nPackage: b\nEmpty:\n"
        let reading = Reading(text, as: .control)
        #expect(reading.records == [
            #"{"Package":"a","Description":"first\nsecond\n\nthird"}"#, #"{"Package":"b","Empty":""}"#,
        ])
        #expect(reading.lines == [1, 9])
    }

    @Test(arguments: 1...20)
    func nothingDependsOnWhereBlocksEnd(blockLength: Int) {
        let text = "Package: a\r\nDepends: b (>= 1),\r\n c\r\n\r\nPackage: ü\r\n\r\nnonsense\r\n\r\nPackage: z"
        let whole = Reading(text, as: .control)
        #expect(whole.records.count == 3 && whole.errors == ["line 7: expected 'Key: value'"])
        #expect(Reading(Array(text.utf8), as: .control, blockLength: blockLength) == whole)
    }

    @Test func aBadStanzaIsLeftOutWhole() {
        let reading = Reading(" before\nPackage: a\n\nPackage: b\n", as: .control)
        #expect(reading.records == [#"{"Package":"b"}"#])
        #expect(reading.errors.count == 1)
    }
}
