/// A verb's own failure.
struct Failure: Error {
    /// One sentence for the user; empty if everything has been said.
    let message: String
    /// The program's exit code.
    var code: Int32 = 1

    init(_ message: String, code: Int32 = 1) {
        self.message = message
        self.code = code
    }
}

/// Nobody reads the output any longer: a reason to stop, not to complain.
struct OutputClosed: Error {}
