/// The use of a page, in one byte: 0…64 is the number of its granules that hold live blocks, higher values are the
/// marks below.
///
/// ```
/// 0          every block in it is dead, a held version may still see them
/// 1…64       granules in use
/// 0x80…0x83  reusable: + 1 first page of its run, + 2 last page of its run
/// 0xc0       taken by the commit being written
/// 0xc1       the file's header pages
/// 0xc2       beyond the end of the file
/// 0xc3       reserved: a process fills it outside the writer lock, and no version knows of it yet
/// ```
enum PageMark {
    static let dead: UInt8 = 0
    static let full: UInt8 = 64
    static let reusable: UInt8 = 0x80
    static let first: UInt8 = 0x01
    static let last: UInt8 = 0x02
    static let taken: UInt8 = 0xc0
    static let header: UInt8 = 0xc1
    static let absent: UInt8 = 0xc2
    static let reserved: UInt8 = 0xc3

    @inline(__always) static func isReusable(_ mark: UInt8) -> Bool { mark & 0xc0 == reusable }
    @inline(__always) static func startsRun(_ mark: UInt8) -> Bool { mark & 0xc1 == reusable | first }
    @inline(__always) static func endsRun(_ mark: UInt8) -> Bool { mark & 0xc2 == reusable | last }
    @inline(__always) static func isLive(_ mark: UInt8) -> Bool { mark != dead && mark <= full }
}
