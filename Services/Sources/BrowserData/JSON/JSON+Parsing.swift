/// Reading.
extension JSON {
    /// What a text may have at most.
    public struct Limits: Sendable {
        /// Bytes of the whole text.
        public var bytes: Int
        /// Arrays and objects inside one another.
        public var depth: Int

        public init(bytes: Int = 16 << 20, depth: Int = 64) {
            self.bytes = bytes
            self.depth = depth
        }
    }

    /// Parses one JSON value in UTF-8, as RFC 8259 says and nothing beyond it: no comments, no trailing commas, no name
    /// twice in an object, no half of a surrogate pair, and nothing after the value but spaces.
    ///
    /// - Throws: ``JSONError`` with the byte at which reading stopped.
    public init(parsing bytes: some Collection<UInt8>, limits: Limits = Limits()) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw JSONError("the text has more than \(limits.bytes) bytes", at: limits.bytes) }
        var parser = JSONParser(Array(bytes), depth: limits.depth)
        self = try parser.document()
    }

    /// Parses one JSON value.
    public init(parsing text: String, limits: Limits = Limits()) throws(JSONError) { try self.init(parsing: text.utf8, limits: limits) }
}
