extension SimulatedSystem {
    /// The places right after each operation that made a file shorter.
    public var cutPlaces: [Int] {
        var lengths: [Int: Int] = [:]
        var places: [Int] = []
        for (index, operation) in log.enumerated() {
            switch operation {
            case .write(let inode, let offset, let bytes), .mappedStore(let inode, let offset, let bytes):
                lengths[inode] = max(lengths[inode] ?? 0, offset + bytes.count)
            case .setLength(let inode, let length):
                if length < lengths[inode] ?? 0 { places.append(index + 1) }
                lengths[inode] = length
            default: break
            }
        }
        return places
    }

    /// The places right after each operation that made a hole in a file.
    public var holePlaces: [Int] {
        log.indices.filter { if case .punch = log[$0] { true } else { false } }.map { $0 + 1 }
    }
}
