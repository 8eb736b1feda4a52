import FreeholdEngine
import FreeholdTools

/// Names of tables, indexes or columns, each once in its scope: SQLite compares names without regard to case.
struct SQLNames {
    private var taken: Set<ExactText> = []

    /// The name itself, or one like it if that is taken or cannot be written. SQLite keeps names that begin with
    /// `sqlite_` for itself.
    mutating func take(_ name: String) -> String {
        var wanted = DisplayText.visible(name)
        if Self.folded(wanted).hasPrefix("sqlite_") { wanted = "_" + wanted }
        var free = wanted, number = 2
        while !taken.insert(ExactText(Self.folded(free))).inserted {
            free = "\(wanted)_\(number)"
            number += 1
        }
        return free
    }

    /// The name with small ASCII letters.
    private static func folded(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) + 32) : $0 }))
    }
}
