/// Numbers in the file are little-endian, at any address.
///
/// Safe throughout: these helpers add nothing to the pointer's own contract; the caller has checked that the bytes
/// from `offset` on belong to it.
extension UnsafeRawPointer {
    @inline(__always)
    func little<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Number.Type = Number.self) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

/// Safe throughout: as for reading.
extension UnsafeMutableRawPointer {
    @inline(__always)
    func little<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Number.Type = Number.self) -> Number {
        UnsafeRawPointer(self).little(offset, as: Number.self)
    }

    @inline(__always)
    func setLittle<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ value: Number) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }
}
