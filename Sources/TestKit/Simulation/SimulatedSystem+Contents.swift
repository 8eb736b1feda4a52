import Platform

extension SimulatedSystem {
    /// Calls `body` with the bytes that a file has now; nil if there is no file of that name. They are valid during the call only.
    public func withBytes<Result>(of path: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
        guard let inode = names[path], inode.kind == .regular else { return nil }
        // Safe: the region lives as long as the machine, which nothing changes during the call.
        return try body(UnsafeRawBufferPointer(inode.bytes))
    }

    /// The bytes of every write to a file that began at `offset`, from `place` of the log on. `path` is a name the file has now.
    public func writes(to path: String, at offset: Int, from place: Int) -> [[UInt8]] {
        guard let inode = names[path] else { return [] }
        return log[place...].compactMap { operation in
            guard case .write(inode.number, offset, let bytes) = operation else { return nil }
            return bytes
        }
    }

    /// The first of these paths that leads to a file.
    public func firstExisting(of paths: [String]) -> String? { paths.first { names[$0] != nil } }
}
