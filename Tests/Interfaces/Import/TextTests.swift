import FreeholdEngine
import Testing

@testable import FreeholdImport

@Suite struct TextTests {
    @Test(arguments: [
        ("1970-01-01", Int64(0), Int32(0)), ("2024-02-29", 1_709_164_800, 0), ("1969-12-31T23:59:59.5Z", -1, 500_000_000),
        ("2024-05-01T09:30:00+02:00", 1_714_548_600, 0), ("2024-05-01 09:30", 1_714_555_800, 0),
        ("2024-05-01T09:30:00.123456789123Z", 1_714_555_800, 123_456_789), ("0000-01-01", -62_167_219_200, 0),
        ("-0001-12-31", -62_167_305_600, 0), ("2024-05-01T09:30:00-0530", 1_714_575_600, 0),
    ])
    func datesAreRead(text: String, seconds: Int64, nanoseconds: Int32) {
        #expect(DateText.parse(text) == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(arguments: [
        "2023-02-29", "2024-13-01", "2024-00-10", "2024-05-1", "24-05-01", "2024-05-01T", "2024-05-01T24:00", "2024-05-01T09:60",
        "2024-05-01T09:30:00.", "2024-05-01T09:30:00+2", "2024-05-01x", "20240501", "2024-05-01T09:30:00ZZ", "+123-01-01",
    ])
    func whatIsNoDateIsNotRead(text: String) {
        #expect(DateText.parse(text) == nil)
    }

    @Test func everyDayIsWrittenAndReadBack() {
        for day in stride(from: Int64(-3_000_000), through: 3_000_000, by: 97) {
            let time = Timestamp(seconds: day * 86_400 + 86_399, nanoseconds: Int32(truncatingIfNeeded: (day & 0xFFFF) * 1000))
            #expect(DateText.parse(DateText.format(time)) == time, "\(DateText.format(time))")
        }
        #expect(!DateText.format(Timestamp(seconds: .min, nanoseconds: -5)).isEmpty)
        #expect(!DateText.format(Timestamp(seconds: .max, nanoseconds: .max)).isEmpty)
    }

    @Test func identifiersAreWrittenAndReadBack() throws {
        let text = "01234567-89ab-cdef-fedc-ba9876543210"
        let identifier = try #require(IdentifierText.uuid(text.uppercased()))
        #expect(IdentifierText.format(identifier) == text)
        #expect(IdentifierText.uuid("01234567-89ab-cdef-fedc-ba987654321") == nil)
        #expect(IdentifierText.uuid("0123456789ab-cdef-fedc-ba9876543210-") == nil)
        let objectId = try #require(IdentifierText.objectId("0123456789abcdef01234567"))
        #expect(IdentifierText.format(objectId) == "0123456789abcdef01234567")
        #expect(IdentifierText.objectId("0123456789abcdef0123456g") == nil)
    }

    @Test func bytesAreWrittenAndReadBack() {
        for count in 0..<20 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
            #expect(Base64Text.parse(Base64Text.format(bytes)) == bytes)
        }
        #expect(Base64Text.format(Array("Freehold".utf8)) == "RnJlZWhvbGQ=")
        #expect(Base64Text.parse("RnJlZWhvbGQ") == nil)
        #expect(Base64Text.parse("====") == nil)
    }

    @Test func onlyMapsWithinMixedValuesAreMarkedAsSuch() {
        func json(_ value: Value, _ collections: [CollectionKind]) -> String {
            var output: [UInt8] = []
            JSONText.append(mixed: value, in: collections[...], to: &output) { _ in ("C", .int(1)) }
            return String(decoding: output, as: UTF8.self)
        }
        let map = Value.map(["$x": .map(["$y": .int(1)])])
        #expect(json(map, [.map]) == #"{"$x":{"$map":{"$y":1}}}"#)
        #expect(json(map, [.map, .map]) == #"{"$x":{"$y":1}}"#)
        #expect(json(map, []) == #"{"$map":{"$x":{"$map":{"$y":1}}}}"#)
        #expect(json(.set([.int(1), .float(0.5)]), [.set]) == #"[1,{"$float":0.5}]"#)
        #expect(json(.list([.map(["$y": .null])]), [.list, .map]) == #"[{"$y":null}]"#)
    }
}
