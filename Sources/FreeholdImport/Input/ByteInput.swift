import Glibc

/// A file, a pipe or an array, read in blocks, of which only what is being looked at stays in memory.
///
///     bytes:   | gone | mark … position … end | zeros |
///
/// 1. `bytes[position ..< end]` is unread; at least `padding` zero bytes follow `end`, so that a scanner may look at
///    eight bytes at once and needs no check of the end before each: a zero tells it to ask.
/// 2. `fill` keeps everything from `mark` (or else from `position`) and moves it to the front: whoever holds an index
///    over a call of `fill` holds it as `mark`.
/// 3. What is kept never exceeds `longestToken`, whatever the input.
///
/// Safe throughout: `bytes` points to `capacity + padding` initialised bytes owned by this value until it ends, and
/// `0 ≤ mark ≤ position ≤ end ≤ capacity` holds between calls.
public struct ByteInput: ~Copyable {
    /// Bytes behind `end` that may be read and are zero.
    static let padding = 16
    /// The most a reader may keep while it looks for the end of a token or row.
    static let longestToken = 64 << 20

    /// Fills a buffer from its start: the number of bytes, 0 at the end, or a negative system error number.
    public typealias Fetch = (UnsafeMutableRawBufferPointer) -> Int

    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private let fetch: Fetch
    private var isAtEnd = false
    /// The stream's offset of `bytes[0]`.
    private var discarded = 0

    /// The next unread byte.
    var position = 0
    /// Behind the last byte that was read.
    private(set) var end = 0
    /// The first byte to keep, or -1.
    var mark = -1

    /// Lines begun so far.
    private(set) var line = 1
    /// The stream's offset of the line's first byte.
    private(set) var lineStart = 0

    /// The length of the stream in bytes, where that is known beforehand.
    public let length: Int?

    /// Reads what `fetch` gives, `blockLength` bytes at a time.
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

    /// How many bytes were taken from the stream so far.
    public var bytesRead: Int { discarded + end }

    /// Notes that the byte at `index` is the last of its line.
    @inline(__always)
    mutating func endLine(at index: Int) {
        line &+= 1  // Safe: a stream has fewer lines than bytes.
        lineStart = discarded + index + 1
    }

    /// An error at the next unread byte.
    func error(_ kind: ImportError.Kind, _ message: String) -> ImportError {
        ImportError(kind, message, line: line, column: offset - lineStart + 1)
    }

    /// Reads another block behind `end`.
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

    /// Moves what is kept to the front.
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
