import Glibc

/// Messages of the program besides its output, on standard error.
enum Messages {
    /// Whether standard error is a terminal.
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// The width of the terminal in columns.
    static var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    /// Prints an error.
    static func error(_ text: String) { write("freehold: error: \(text)\n") }

    /// Prints a note.
    static func note(_ text: String) { write("freehold: \(text)\n") }

    /// Writes text unchanged.
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                // Safe: the range lies within the text. A failed write has no place to be reported.
                let count = Glibc.write(STDERR_FILENO, bytes.baseAddress! + written, bytes.count - written)
                if count < 0 && errno != EINTR { return }
                written += max(count, 0)
            }
        }
    }
}
