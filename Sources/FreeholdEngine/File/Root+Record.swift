extension Root {
    /// The layout of a root's bytes, relative to its offset in a record.
    static let layout = [
        LayoutField("version", 0, 8), LayoutField("newest full version", 8, 8), LayoutField("length", 16, 8),
        LayoutField("top: location", 24, 8), LayoutField("top: birth", 32, 8), LayoutField("top: check", 40, 8),
        LayoutField("top: tag", 48, 8), LayoutField("read features", 56, 8), LayoutField("write features", 64, 8),
    ]

    /// Reads the root at `offset` of a record; nil if it contradicts itself.
    init?(_ fields: RecordFields, at offset: Int) {
        self.init(
            version: fields[offset], lastFull: fields[offset + 8], length: fields[offset + 16],
            top: BlockReference(
                location: fields[offset + 24], birth: fields[offset + 32], check: fields[offset + 40],
                tag: fields[offset + 48]),
            readFeatures: fields[offset + 56], writeFeatures: fields[offset + 64])
        guard isPlausible else { return nil }
    }

    func write(to fields: RecordFields, at offset: Int) {
        fields[offset] = version
        fields[offset + 8] = lastFull
        fields[offset + 16] = length
        fields[offset + 24] = top.location
        fields[offset + 32] = top.birth
        fields[offset + 40] = top.check
        fields[offset + 48] = top.tag
        fields[offset + 56] = readFeatures
        fields[offset + 64] = writeFeatures
    }

    /// The exclusive upper limit of versions: reader cells name them with 47 bits.
    static let versionLimit: UInt64 = 1 << 47

    /// Whether the numbers are consistent with one another, regardless of the file's contents.
    var isPlausible: Bool {
        guard version > 0, version < Self.versionLimit, lastFull <= version, length < 1 << 56, length % 4096 == 0 else { return false }
        guard !top.isNull, !top.isPending, top.birth <= version, (1...1024).contains(top.granuleCount) else { return false }
        return top.byteOffset >= UInt64(FileLayout.firstData)
            && top.byteOffset + UInt64(top.byteLength) <= length
    }
}
