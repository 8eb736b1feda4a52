/// Copies structures that begin with their own size: the caller's may be shorter or longer than this library's.
///
/// Safe throughout: no more is read or written than both sides have; the structures are trivial, and their first member
/// is a size_t.
import FreeholdEngine

enum Sized {
    /// The minimum size: the first member and at least something after it.
    private static let minimum = 16

    /// Copies everything but the size into the caller's structure, as far as it has room. NULL is ignored.
    static func fill<Structure: BitwiseCopyable>(_ target: UnsafeMutablePointer<Structure>?,
                                                 with value: Structure) throws(FreeholdError) {
        guard let target else { return }
        let place = UnsafeMutableRawPointer(target)
        let count = min(try size(place), MemoryLayout<Structure>.size)
        withUnsafeBytes(of: value) { bytes in
            let head = MemoryLayout<Int>.size
            (place + head).copyMemory(from: bytes.baseAddress! + head, byteCount: count - head)
        }
    }

    /// Reads the caller's structure; NULL, and members that it does not have, read as in `missing`.
    static func read<Structure: BitwiseCopyable>(_ source: UnsafePointer<Structure>?,
                                                 or missing: Structure) throws(FreeholdError) -> Structure {
        guard let source else { return missing }
        let place = UnsafeRawPointer(source)
        let given = try size(place)
        let known = MemoryLayout<Structure>.size
        var value = missing
        withUnsafeMutableBytes(of: &value) { $0.baseAddress!.copyMemory(from: place, byteCount: min(given, known)) }
        for offset in known..<max(known, given) where place.load(fromByteOffset: offset, as: UInt8.self) != 0 {
            throw FreeholdError(.invalidArgument, "a structure sets a member that this library does not support; it was compiled for "
                + "a newer one")
        }
        return value
    }

    private static func size(_ place: UnsafeRawPointer) throws(FreeholdError) -> Int {
        let size = place.load(as: Int.self)
        guard (minimum...4096).contains(size) else {
            throw FreeholdError(.invalidArgument, "a structure says that it has \(size) bytes; set its member `size` to sizeof")
        }
        return size
    }
}
