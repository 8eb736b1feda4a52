/// What is on a disk: the bytes of the files by number, and their names.
struct DiskContents {
    private let capacity: Int
    private(set) var files: [Int: Region]
    private(set) var names: [String: Int]

    /// - Parameter capacity: the longest a file can become.
    init(capacity: Int, files: [Int: Region] = [:], names: [String: Int] = [:]) {
        self.capacity = capacity
        self.files = files
        self.names = names
    }

    /// Contents of its own: a plain copy would share the regions.
    func copy() -> DiskContents {
        DiskContents(capacity: capacity, files: files.mapValues { $0.copy() }, names: names)
    }

    func length(of inode: Int) -> Int { files[inode]?.length ?? 0 }

    /// Carries an operation out in full.
    mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .write(let inode, let offset, let bytes):
            write(inode, offset, bytes[...])
        case .mappedStore(let inode, let offset, let bytes):
            // A store never makes a file longer.
            write(inode, offset, bytes.prefix(max(length(of: inode) - offset, 0)))
        case .setLength(let inode, let length):
            region(inode).setLength(length)
        case .punch(let inode, let offset, let count):
            region(inode).clear(offset, count)
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
        // Safe: the region checks the range.
        bytes.withUnsafeBytes { region(inode).write($0, at: offset) }
    }

    mutating func extend(_ inode: Int, to length: Int) {
        if self.length(of: inode) < length { region(inode).setLength(length) }
    }

    private mutating func region(_ inode: Int) -> Region {
        if let region = files[inode] { return region }
        let region = Region(capacity: capacity)
        files[inode] = region
        return region
    }

    private mutating func rename(_ source: String, _ destination: String) {
        names[destination] = names.removeValue(forKey: source)
        // A directory takes what is in it along.
        for path in names.keys.sorted() where path.hasPrefix(source + "/") {
            names[destination + path.dropFirst(source.count)] = names.removeValue(forKey: path)
        }
    }
}
