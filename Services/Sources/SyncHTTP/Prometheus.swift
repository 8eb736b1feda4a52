import CoreMetrics
import Synchronization

/// Metrics in the text form of Prometheus: the factory of swift-metrics for this process.
///
/// ```swift
/// let metrics = Prometheus()
/// MetricsSystem.bootstrap(metrics)
/// print(metrics.text)
/// ```
public final class Prometheus: MetricsFactory, Sendable {
    private struct Name: Hashable {
        let label: String
        let dimensions: String
    }

    private let series = Mutex<[Name: Series]>([:])
    /// Series that are kept; more are counted together under no dimension.
    private static let most = 2_000

    public init() {}

    /// All that was measured, sorted by name.
    public var text: String {
        let all = series.withLock { $0 }
        var lines: [String] = []
        for (label, entries) in Dictionary(grouping: all, by: \.key.label).sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(label) \(entries[0].value.kind.rawValue)")
            for (name, series) in entries.sorted(by: { $0.key.dimensions < $1.key.dimensions }) {
                lines += series.lines(label, name.dimensions)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func find(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Series {
        let plain = Self.plain(label) + (kind == .counter ? "_total" : kind == .summary ? "_seconds" : "")
        let text = dimensions.map { "\(Self.plain($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return series.withLock { all in
            let name = Name(label: plain, dimensions: all.count < Self.most ? text : "")
            if let known = all[name] { return known }
            let made = Series(kind)
            all[name] = made
            return made
        }
    }

    private static func plain(_ label: String) -> String {
        String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { one -> [Character] in
            switch one {
            case "\\": ["\\", "\\"]
            case "\"": ["\\", "\""]
            case "\n": ["\\", "n"]
            default: [one]
            }
        })
    }

    // MARK: MetricsFactory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { find(label, dimensions, .counter) }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { find(label, dimensions, .gauge) }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        find(label, dimensions, aggregate ? .summary : .gauge)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { find(label, dimensions, .summary) }

    // What was measured stays: a series that ends and begins anew would count from 0.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// A number that changes, and what it is.
private final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
    enum Kind: String { case counter, gauge, summary }

    let kind: Kind
    private let numbers = Mutex<(value: Double, count: Int64)>((0, 0))

    init(_ kind: Kind) { self.kind = kind }

    func lines(_ label: String, _ dimensions: String) -> [String] {
        let (value, count) = numbers.withLock { $0 }, place = dimensions.isEmpty ? "" : "{\(dimensions)}"
        if kind == .summary { return ["\(label)_sum\(place) \(value)", "\(label)_count\(place) \(count)"] }
        return ["\(label)\(place) \(value)"]
    }

    private func add(_ amount: Double) { numbers.withLock { $0 = ($0.value + amount, $0.count + 1) } }

    func increment(by amount: Int64) { add(Double(amount)) }
    func reset() { numbers.withLock { $0 = (0, 0) } }
    func set(_ value: Int64) { numbers.withLock { $0.value = Double(value) } }
    func set(_ value: Double) { numbers.withLock { $0.value = value } }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func record(_ value: Int64) { kind == .gauge ? set(value) : add(Double(value)) }
    func record(_ value: Double) { kind == .gauge ? set(value) : add(value) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
}
