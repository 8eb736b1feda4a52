/// What is wrong with the form of a request.
struct RequestMistake: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
