import FreeholdTools

/// Progress of a long operation: on a terminal one line of standard error that is overwritten; elsewhere a line each
/// second if requested, or nothing.
final class ProgressBar {
    private static let cells = 16

    private let totalBytes: Int?
    private let isTerminal: Bool
    private let isForced: Bool
    private let write: (String) -> Void
    private let start = Figures.now()
    private var lastShown = 0.0
    /// The state that has not been shown yet.
    private var pending: ((_ seconds: Double) -> String)?

    /// - Parameters:
    ///   - totalBytes: nil if the total is unknown.
    ///   - isForced: whether it is shown without a terminal.
    ///   - write: receives the text.
    init(totalBytes: Int?, isForced: Bool = false, isTerminal: Bool = Messages.isTerminal, write: @escaping (String) -> Void = Messages.write) {
        self.totalBytes = totalBytes
        self.isForced = isForced
        self.isTerminal = isTerminal
        self.write = write
    }

    /// Shows the state, unless it was shown a moment ago.
    func show(bytes: Int, rows: Int) { show { [self] in text(bytes: bytes, rows: rows, seconds: $0) } }

    /// Shows progress of an operation that counts no rows.
    func show(bytes: Int, of total: Int?) {
        show { _ in Figures.bytes(bytes) + (total.map { " of \(Figures.bytes($0))" } ?? "") }
    }

    /// Shows progress of an operation with a known number of rows, objects or blocks: `P.id: 45 %  1,234,567 of
    /// 2,743,482`.
    func show(_ what: String, done: Int, of total: Int) {
        show { [self] _ in text(what, done: done, of: total) }
    }

    private func show(_ text: @escaping (_ seconds: Double) -> String) {
        guard isTerminal || isForced else { return }
        pending = text
        let now = Figures.now()
        guard now - lastShown >= (isTerminal ? 0.1 : 1) else { return }
        lastShown = now
        writePending(now)
    }

    private func writePending(_ now: Double) {
        guard let text = pending?(now - start) else { return }
        pending = nil
        // A wrapped line could not be overwritten.
        write(isTerminal ? "\r\u{1B}[K" + DisplayWidth.cut(text, to: Messages.columns - 1) : text + "\n")
    }

    /// Removes the line; where lines are kept, prints the last state.
    func clear() {
        if !isTerminal { return writePending(Figures.now()) }
        pending = nil
        if lastShown > 0 { write("\r\u{1B}[K") }
    }

    /// `P: 45 %  1,234,567 of 2,743,482`
    func text(_ what: String, done: Int, of total: Int) -> String {
        let percent = total > 0 ? Figures.fixed(min(Double(done) / Double(total), 1) * 100, 0) : "100"
        return "\(DisplayText.visible(what)): \(percent) %  \(Figures.grouped(done)) of \(Figures.grouped(total))"
    }

    /// `[#######---------] 45 %  120.3 MB of 267.0 MB  1,234,567 rows  812,000/s  0:12 left`
    func text(bytes: Int, rows: Int, seconds: Double) -> String {
        let rate = "\(Figures.count(rows, "row"))  \(Figures.grouped(Int(Double(rows) / max(seconds, 1e-3))))/s"
        guard let totalBytes, totalBytes > 0 else { return "\(Figures.bytes(bytes))  \(rate)" }
        let part = min(Double(bytes) / Double(totalBytes), 1)
        let full = Int(part * Double(Self.cells))
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: Self.cells - full)
        let left = part > 0 ? seconds / part - seconds : 0
        let percent = Figures.fixed(part * 100, 0)
        return "[\(bar)] \(percent) %  \(Figures.bytes(bytes)) of \(Figures.bytes(totalBytes))  \(rate)  \(Figures.clock(left)) left"
    }
}
