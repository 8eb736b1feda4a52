import TestKit

/// A range of cases run by helper processes, a new one after each that dies.
struct FuzzBatch {
    let kind: String
    let numbers: Range<UInt64>
    private(set) var failures: [String] = []
    private(set) var errors = 0
    private(set) var answers = 0
    /// A single case takes hundredths of a second, and the database that every fortieth one begins with up to ten; this long is a hang on
    /// any machine.
    private static let patienceMilliseconds = 600_000
    /// When so many failed, the rest would only take time.
    private static let enoughFailures = 20

    init(kind: String, numbers: Range<UInt64>) {
        self.kind = kind
        self.numbers = numbers
    }

    mutating func run() throws {
        var next = numbers.lowerBound
        while next < numbers.upperBound, failures.count < Self.enoughFailures {
            let helper = try SpawnedProcess("FuzzHelper", [kind, "\(next)", "\(numbers.upperBound - next)"])
            guard let died = try follow(helper, from: next) else { return }
            next = died + 1
        }
    }

    /// Hears a helper out.
    /// - Returns: the case it died of, or nil if it came to its end.
    private mutating func follow(_ helper: SpawnedProcess, from first: UInt64) throws -> UInt64? {
        var current = first
        while true {
            let line: String?
            do {
                line = try helper.readLine(timeoutMilliseconds: Self.patienceMilliseconds)
            } catch SpawnedProcess.Failure.silent {
                helper.killNow()
                failures.append("case \(current) hangs")
                return current
            }
            guard let line else {
                failures.append("case \(current) died: \(helper.wait())")
                return current
            }
            let words = line.split(separator: " ")
            switch words.first {
            case "at": current = UInt64(words[1]) ?? current
            case "done":
                errors += Int(words[1]) ?? 0
                answers += Int(words[2]) ?? 0
                return nil
            default: failures.append(line)
            }
        }
    }
}
