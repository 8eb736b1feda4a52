import Foundation
import FreeholdEngine

/// Conversions between Foundation's types and stored values.
extension Timestamp {
    /// Converts a date to nanoseconds, as far as `Date` is that precise.
    init(_ date: Date) {
        // Counted from 2001, as `Date` counts: fractions keep more digits than counted from 1970.
        let interval = date.timeIntervalSinceReferenceDate, whole = interval.rounded(.down)
        guard let seconds = Int64(exactly: whole) else {
            self.init(seconds: interval < 0 ? .min / 2 : .max / 2)
            return
        }
        let nanoseconds = Int32(((interval - whole) * 1e9).rounded())
        let start = Int64(Date.timeIntervalBetween1970AndReferenceDate)
        self = nanoseconds >= 1_000_000_000 ? Timestamp(seconds: seconds + start + 1) : Timestamp(seconds: seconds + start, nanoseconds: nanoseconds)
    }

    var date: Date {
        let start = Int64(Date.timeIntervalBetween1970AndReferenceDate)
        return Date(timeIntervalSinceReferenceDate: Double(seconds - start) + Double(nanoseconds) / 1e9)
    }
}

extension UniqueIdentifier {
    init(_ uuid: UUID) {
        let bytes = uuid.uuid
        self.init(high: Self.word([bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7]),
                  low: Self.word([bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15]))
    }

    private static func word(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    var uuid: UUID {
        func byte(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: (place < 8 ? high : low) >> UInt64(56 - place % 8 * 8)) }
        return UUID(uuid: (byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7),
                           byte(8), byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)))
    }
}

extension FreeholdEngine.Value {
    /// The value as a type of Foundation or of this library; nil if it is one of Swift's own types.
    var foreign: Any? {
        switch self {
        case .data(let bytes): Data(bytes)
        case .date(let time): time.date
        case .uuid(let bytes): bytes.uuid
        case .objectId(let bytes): ObjectId(bytes)
        case .decimal(let number): number
        default: nil
        }
    }
}
