// Safe throughout: buffers belong to the calls they are made for.
import Platform

extension File {
    /// The file's first page, filled up with zeros if the file is shorter, and how much of it there is.
    func readFirstPage() throws(SystemError) -> (bytes: [UInt8], count: Int) {
        var page = [UInt8](repeating: 0, count: FileLayout.page)
        let result = page.withUnsafeMutableBytes { bytes in
            Result { () throws(SystemError) in try read(into: bytes, at: 0) }
        }
        return (page, try result.get())
    }

    /// Writes an array's bytes.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemError) in try write(buffer, at: offset) }
        }
        try result.get()
    }
}
