/// An error of a verb.
struct Failure: Error {
    /// One sentence for the user; empty if everything has been printed.
    let message: String
    /// The program's exit code.
    var code: Int32 = 1

    init(_ message: String, code: Int32 = 1) {
        self.message = message
        self.code = code
    }

    /// A message as a sentence that others follow: one that ends with a question mark has its end.
    static func sentence(_ message: String) -> String { message.last.map { ".?!".contains($0) } == true ? message : message + "." }
}

/// The reader of the output has closed it: the program stops without a message.
struct OutputClosed: Error {}
