import FreeholdEngine
import Glibc

/// The lines that the runner reads: `NAME VALUE UNIT`, `check NAME VALUE`, `skip NAME WHY`.
enum Output {
    static func figure(_ name: String, _ value: Double, _ unit: String) {
        line("\(name) \(decimal(value, digits: value < 10 ? 4 : value < 1000 ? 2 : 0)) \(unit)")
    }

    static func check(_ name: String, _ value: Int) { line("check \(name) \(value)") }

    static func check(_ name: String, _ value: Double, digits: Int) { line("check \(name) \(decimal(value, digits: digits))") }

    static func check(_ name: String, _ keys: [ObjectKey]) { line("check \(name) \(keys.map(\.description).joined(separator: ","))") }

    static func skip(_ name: String, _ reason: String) { line("skip \(name) \(reason)") }

    static func line(_ text: String) {
        print(text)
        fflush(nil)
    }

    /// As C's `%.*f` writes it, which is what the other drivers use.
    private static func decimal(_ value: Double, digits: Int) -> String {
        var bytes = [CChar](repeating: 0, count: 400)
        withVaList([Int32(digits), value]) { _ = vsnprintf(&bytes, bytes.count, "%.*f", $0) }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// What ends the whole run, told in one line on standard error.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
