import Glibc

/// A file, a pipe or an array, read in blocks; only the part being parsed is in memory.
///
///     bytes:   | gone | mark … position … end | zeros |
///
/// 1. `bytes[position ..< end]` is unread. At least `padding` zero bytes follow `end`, so that a scanner can read eight
///    bytes at once without checking for the end first: a zero makes it check.
/// 2. `fill` keeps all bytes from `mark` (or from `position` without one) and moves them to the front. An index that
///    must survive a call of `fill` has to be stored as `mark`.
/// 3. The kept bytes never exceed `longestToken`, whatever the input.
///
/// Safe throughout: `bytes` points to `capacity + padding` initialised bytes owned by this value until it ends, and `0
/// ≤ mark ≤ position ≤ end ≤ capacity` holds between calls.
public struct ByteInput: ~Copyable {
    /// Number of zero bytes after `end` that may be read.
    static let padding = 16
    /// Maximum bytes that a reader may keep while it looks for the end of a token or row.
    static let longestToken = 64 << 20

    /// Fills a buffer from its start; returns the number of bytes, 0 at the end, or a negated `errno`.
    public typealias Fetch = (UnsafeMutableRawBufferPointer) -> Int

    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private let fetch: Fetch
    private var isAtEnd = false
    /// The stream's offset of `bytes[0]`.
    private var discarded = 0

    /// The next unread byte.
    var position = 0
    /// The index after the last byte read.
    private(set) var end = 0
    /// The first byte to keep, or -1.
    var mark = -1

    /// Number of lines begun so far.
    private(set) var line = 1
    /// The stream's offset of the line's first byte.
    private(set) var lineStart = 0

    /// The length of the stream in bytes, if it is known in advance.
    public let length: Int?

    /// Reads from `fetch`, `blockLength` bytes at a time.
    public init(blockLength: Int = 256 << 10, length: Int? = nil, _ fetch: @escaping Fetch) {
        self.fetch = fetch
        self.length = length
        capacity = max(blockLength, 1)
        bytes = .allocate(capacity: capacity + Self.padding)
        bytes.initialize(repeating: 0, count: capacity + Self.padding)
    }

    deinit { bytes.deallocate() }

    /// The stream's offset of the next unread byte.
    var offset: Int { discarded + position }

    /// Number of bytes consumed so far.
    public var bytesRead: Int { discarded + end }

    /// Records that the byte at `index` ends a line.
    @inline(__always)
    mutating func endLine(at index: Int) {
        line &+= 1  // Safe: a stream has fewer lines than bytes.
        lineStart = discarded + index + 1
    }

    /// An error at the next unread byte.
    func error(_ kind: ImportError.Kind, _ message: String) -> ImportError {
        ImportError(kind, message, line: line, column: offset - lineStart + 1)
    }

    /// Reads another block after `end`.
    /// - Returns: false at the end of the stream.
    @inline(never)
    mutating func fill() throws(ImportError) -> Bool {
        if isAtEnd { return false }
        keep(from: mark >= 0 ? mark : position)
        if end == capacity { try grow() }
        let read = fetch(UnsafeMutableRawBufferPointer(start: bytes + end, count: capacity - end))
        if read < 0 {
            isAtEnd = true
            let code = Int32(clamping: 0 &- read)
            throw ImportError(.system, "cannot be read: \(String(cString: strerror(code)))", systemCode: code)
        }
        end += read
        (bytes + end).update(repeating: 0, count: Self.padding)
        isAtEnd = read == 0
        return read > 0
    }

    /// Moves the kept bytes to the front.
    private mutating func keep(from first: Int) {
        if first == 0 { return }
        bytes.update(from: bytes + first, count: end - first)
        discarded += first
        position -= first
        end -= first
        if mark >= 0 { mark -= first }
    }

    private mutating func grow() throws(ImportError) {
        guard capacity < Self.longestToken else {
            throw error(.text, "a value is longer than \(Self.longestToken >> 20) MiB")
        }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2 + Self.padding)
        larger.initialize(repeating: 0, count: capacity * 2 + Self.padding)
        larger.update(from: bytes, count: end)
        bytes.deallocate()
        bytes = larger
        capacity *= 2
    }
}
