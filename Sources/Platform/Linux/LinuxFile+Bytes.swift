import CShims
import Glibc

extension LinuxFile {
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            // Safe: `done` stays below the buffer's count, so the buffer has a start.
            let count = uninterrupted {
                pread(descriptor, buffer.baseAddress.unsafelyUnwrapped + done, buffer.count - done, offset + done)
            }
            if count < 0 { throw failed(Int32(-count), "pread") }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// The longest single write. The page cache keeps the bytes of one call in one unit (a folio), and each later write
    /// of a few bytes costs in proportion to the unit it falls into: 0.9 µs for 8 KiB in units of 64 KiB, 1.4 µs in
    /// those of 1 MiB, 4.4 µs in those of 4 MiB. Large units are also slower to allocate.
    private static let longestWrite = 64 << 10

    /// A short write, for which other writers wait only briefly: the kernel admits one writing call at a time per file.
    private static let shortWrite = 8 << 10

    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        try write(buffer, at: offset, most: Self.longestWrite)
    }

    func writeInShortCalls(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        try write(buffer, at: offset, most: Self.shortWrite)
    }

    private func write(_ buffer: UnsafeRawBufferPointer, at offset: Int, most: Int) throws(SystemError) {
        var done = 0
        while done < buffer.count {
            var length = buffer.count - done
            if length > most { length = most - (offset + done) % most }
            // Safe: `done` stays below the buffer's count, so the buffer has a start.
            let count = uninterrupted {
                pwrite(descriptor, buffer.baseAddress.unsafelyUnwrapped + done, length, offset + done)
            }
            if count < 0 { throw failed(Int32(-count), "pwrite") }
            // Zero would repeat forever; no file system returns it, a device might.
            if count == 0 { throw SystemError(code: EIO, call: "pwrite", path: path) }
            done += count
        }
    }

    func synchronizeData() throws(SystemError) {
        let result = uninterrupted { fdatasync(descriptor) }
        if result < 0 { throw failed(-result, "fdatasync") }
    }

    func synchronizeFileSystem() throws(SystemError) {
        let result = freehold_shim_synchronize_file_system(descriptor)
        if result < 0 { throw failed(-result, "syncfs") }
    }

    func writeBack(offset: Int, length: Int) throws(SystemError) {
        let result = freehold_shim_write_back(descriptor, Int64(offset), Int64(length))
        // If the call is unknown or forbidden, it has not consumed a report of a failure either.
        if result == -ENOSYS || result == -EPERM { return }
        if result < 0 { throw failed(-result, "sync_file_range") }
    }

    func length() throws(SystemError) -> Int { try status().length }

    func setLength(_ length: Int) throws(SystemError) {
        let result = uninterrupted { ftruncate(descriptor, length) }
        if result < 0 { throw failed(-result, "ftruncate") }
    }

    func extend(to length: Int) throws(SystemError) {
        guard length > 0 else { return }
        let result = freehold_shim_extend(descriptor, Int64(length))
        if result < 0 { throw failed(-result, "fallocate") }
    }

    func allocate(offset: Int, length: Int) throws(SystemError) {
        // Allocated in one piece first: contiguous if possible, and a full disk is detected before anything is written.
        let reserved = freehold_shim_reserve(descriptor, Int64(offset), Int64(length))
        if reserved < 0 && reserved != -EOPNOTSUPP {
            throw failed(-reserved, "fallocate")
        }
        var done = 0
        while done < length {
            let count = min(zeros.count, length - done)
            try write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(zeros)[..<count]), at: offset + done)
            done += count
        }
    }

    func punchHole(offset: Int, length: Int) throws(SystemError) -> Bool {
        let result = freehold_shim_punch_hole(descriptor, Int64(offset), Int64(length))
        if result == -EOPNOTSUPP { return false }
        if result < 0 { throw failed(-result, "fallocate") }
        return true
    }

    func advise(_ advice: AccessAdvice, offset: Int, length: Int) {
        let number =
            switch advice {
            case .sequential: FREEHOLD_SHIM_ADVICE_SEQUENTIAL
            case .random: FREEHOLD_SHIM_ADVICE_RANDOM
            case .willNeed: FREEHOLD_SHIM_ADVICE_WILL_NEED
            case .willNotNeed: FREEHOLD_SHIM_ADVICE_WILL_NOT_NEED
            }
        _ = freehold_shim_advise(descriptor, Int64(offset), Int64(length), Int32(number))
    }
}

/// A megabyte of zeros, for initialising a range.
///
/// Safe unchecked: it is made once, filled before anyone sees it, and only read afterwards.
private nonisolated(unsafe) let zeros: UnsafeMutableRawBufferPointer = {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    return buffer
}()
