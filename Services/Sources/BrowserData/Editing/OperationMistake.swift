/// Why an operation cannot be done, whatever others commit.
struct OperationMistake: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
