/// How far an import or another long piece of work is, in one line of standard error that is written over again; nothing if that is no terminal.
final class ProgressBar {
    private static let cells = 16
    private static let interval = 0.1

    private let totalBytes: Int?
    private let start = Figures.now()
    private var lastShown = 0.0

    /// - Parameter totalBytes: nil if nobody knows when it ends.
    init(totalBytes: Int?) { self.totalBytes = totalBytes }

    /// Shows the state, unless it was shown just now.
    func show(bytes: Int, rows: Int) { show { text(bytes: bytes, rows: rows, seconds: $0) } }

    /// The same of work that counts no rows.
    func show(bytes: Int, of total: Int?) {
        show { _ in Figures.bytes(bytes) + (total.map { " of \(Figures.bytes($0))" } ?? "") }
    }

    private func show(_ text: (_ seconds: Double) -> String) {
        guard Messages.isTerminal else { return }
        let now = Figures.now()
        guard now - lastShown >= Self.interval else { return }
        lastShown = now
        // A line that wraps could not be written over.
        let line = DisplayWidth.cut(text(now - start), to: Messages.columns - 1)
        Messages.write("\r\u{1B}[K" + line)
    }

    /// Takes the line away.
    func clear() {
        if lastShown > 0 { Messages.write("\r\u{1B}[K") }
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
