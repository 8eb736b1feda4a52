import CFreehold
import FreeholdC
import FreeholdEngine
import Glibc
import Testing

/// What the header says, against what the engine means.
@Suite struct HeaderTests {
    /// `NAME = number` in a part of the header, by name without the prefix.
    static func constants(in part: String, prefix: String) throws -> [String: Int32] {
        var found: [String: Int32] = [:]
        for line in try text(of: part).split(separator: "\n") {
            let words = line.split { " =,".contains($0) }
            if words.count >= 2, words[0].hasPrefix(prefix), line.contains("="), let number = Int32(words[1]) {
                found[String(words[0].dropFirst(prefix.count))] = number
            }
        }
        return found
    }

    static func text(of part: String) throws -> String {
        let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try #require(fopen("/\(folder)/include/freehold/\(part).h", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `every error has the same number and name in C as in Swift`() throws {
        let declared = try Self.constants(in: "error", prefix: "FREEHOLD_ERROR_")
        var expected: [String: Int32] = [:]
        for (code, name) in FreeholdError.Code.names {
            expected[name.reduce(into: "") { $0 += ($1.isUppercase ? "_" : "") + $1.uppercased() }] = code
        }
        #expect(declared == expected)
        for (name, code) in declared { #expect(String(cString: freehold_error_name(code)) == name) }
    }

    @Test func `every type has the same number in C as in the file`() throws {
        let declared = try Self.constants(in: "value", prefix: "FREEHOLD_TYPE_")
        var expected: [String: Int32] = ["NULL": 0]
        for type in PropertyType.allCases {
            expected[type.name.reduce(into: "") { $0 += ($1.isUppercase ? "_" : "") + $1.uppercased() }] = Int32(type.rawValue)
        }
        for kind in CollectionKind.allCases { expected[kind.name.uppercased()] = 32 + Int32(kind.rawValue) }
        #expect(declared == expected)
    }

    @Test func `outcomes are no errors`() throws {
        let outcomes = try Self.constants(in: "error", prefix: "FREEHOLD_").filter { !$0.key.hasPrefix("ERROR_") }
        #expect(outcomes == ["OK": 0, "ABSENT": 1, "TIMED_OUT": 2, "BUSY": 3])
    }

    @Test func `structures have the sizes that programs were compiled with`() {
        #expect(MemoryLayout<freehold_value_t>.size == 24)
        #expect(MemoryLayout<freehold_text_t>.size == 16)
        #expect(MemoryLayout<freehold_error_t>.size == 32)
        #expect(MemoryLayout<freehold_open_options_t>.size == 88)
        #expect(MemoryLayout<freehold_import_t>.size == 96)
        #expect(MemoryLayout<freehold_import_report_t>.size == 40)
        #expect(MemoryLayout<freehold_property_info_t>.size == 64)
        #expect(MemoryLayout<freehold_class_info_t>.size == 48)
        #expect(MemoryLayout<freehold_information_t>.size == 80)
        #expect(MemoryLayout<freehold_holder_t>.size == 64)
        #expect(MemoryLayout<freehold_check_report_t>.size == 88)
        #expect(MemoryLayout<freehold_check_problem_t>.size == 32)
        #expect(MemoryLayout<freehold_class_definition_t>.size == 64)
        #expect(MemoryLayout<freehold_index_info_t>.size == 80)
        #expect(MemoryLayout<freehold_index_field_t>.size == 24)
        #expect(MemoryLayout<freehold_derived_index_info_t>.size == 456)
        #expect(MemoryLayout<freehold_found_text_t>.size == 96)
        #expect(MemoryLayout<freehold_column_t>.size == 32)
        #expect(MemoryLayout<freehold_object_change_t>.size == 32)
        #expect(MemoryLayout<freehold_salvage_report_t>.size == 40)
        #expect(MemoryLayout<freehold_delivery_t>.size == 184)
        #expect(MemoryLayout<freehold_json_options_t>.size == 32)
        #expect(MemoryLayout<freehold_json_report_t>.size == 32)
        #expect(MemoryLayout<freehold_buffer_t>.size == 24)
    }
}
