extension Database {
    /// The version that was durable once and whose root was destroyed, by the disk or by another program; normally nil.
    ///
    /// The database then opens at the last intact version before it. The loss is reported to every process that opens
    /// it, until `acknowledgeLostVersion` is called.
    ///
    /// ```swift
    /// if let lost = try database.lostVersion { print("version \(lost) is lost; restore a backup, or go on") }
    /// ```
    public var lostVersion: Version? {
        get throws(FreeholdError) { try core().session.lostVersion.map { Version($0) } }
    }

    /// Ends the report of a lost version, for all processes and for good. Does nothing if none is lost.
    ///
    /// - Parameter timeoutMilliseconds: how long to wait for other writers.
    /// - Throws: `.busy`, `.readOnly`, `.io`.
    public func acknowledgeLostVersion(timeoutMilliseconds: Int = 10_000) throws(FreeholdError) {
        let session = try core().session
        guard session.lostVersion != nil else { return }
        let lease = try session.beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        defer { session.abandonWrite(lease) }
        try session.acknowledgeLostVersion(lease)
    }
}
