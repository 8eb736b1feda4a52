/// What is on a disk: the bytes of the files by number, and their names.
struct DiskContents {
    var files: [Int: [UInt8]] = [:]
    var names: [String: Int] = [:]

    /// Carries an operation out in full.
    mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .write(let inode, let offset, let bytes):
            write(inode, offset, bytes[...])
        case .mappedStore(let inode, let offset, let bytes):
            // A store never makes a file longer.
            let length = files[inode]?.count ?? 0
            if offset < length { write(inode, offset, bytes.prefix(length - offset)) }
        case .setLength(let inode, let length):
            setLength(inode, length)
        case .punch(let inode, let offset, let count):
            let end = min(offset + count, files[inode]?.count ?? 0)
            if offset < end { write(inode, offset, [UInt8](repeating: 0, count: end - offset)[...]) }
        case .link(let path, let inode):
            names[path] = inode
        case .unlink(let path):
            names[path] = nil
        case .rename(let source, let destination):
            rename(source, destination)
        case .synchronize, .synchronizeFailed, .synchronizeNames:
            break
        }
    }

    mutating func write(_ inode: Int, _ offset: Int, _ bytes: ArraySlice<UInt8>) {
        files[inode, default: []].replace(at: offset, with: bytes)
    }

    mutating func extend(_ inode: Int, to length: Int) {
        if files[inode, default: []].count < length { setLength(inode, length) }
    }

    mutating func setLength(_ inode: Int, _ length: Int) {
        files[inode, default: []].setLength(length)
    }

    private mutating func rename(_ source: String, _ destination: String) {
        names[destination] = names.removeValue(forKey: source)
        // A directory takes what is in it along.
        for path in names.keys.sorted() where path.hasPrefix(source + "/") {
            names[destination + path.dropFirst(source.count)] = names.removeValue(forKey: path)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func setLength(_ length: Int) {
        if length < count { removeLast(count - length) } else { self += repeatElement(0, count: length - count) }
    }

    fileprivate mutating func replace(at offset: Int, with bytes: ArraySlice<UInt8>) {
        if count < offset + bytes.count { setLength(offset + bytes.count) }
        // Safe: the array has just been made long enough.
        withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + source.count]).copyMemory(from: source)
            }
        }
    }
}
