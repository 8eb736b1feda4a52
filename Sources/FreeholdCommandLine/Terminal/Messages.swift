import Glibc

/// What the program says beside its output: on standard error.
enum Messages {
    /// Whether standard error is a terminal.
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// How many columns the terminal has now.
    static var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    /// Says that something failed.
    static func error(_ text: String) { write("freehold: error: \(text)\n") }

    /// Says something the user may want to know.
    static func note(_ text: String) { write("freehold: \(text)\n") }

    /// Writes text as it is.
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                // Safe: the range lies within the text. Where nobody listens there is nobody to tell.
                let count = Glibc.write(STDERR_FILENO, bytes.baseAddress! + written, bytes.count - written)
                if count < 0 && errno != EINTR { return }
                written += max(count, 0)
            }
        }
    }
}
