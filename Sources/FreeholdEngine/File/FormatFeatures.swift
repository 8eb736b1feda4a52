/// The features that a file needs beyond version 1 of the format: a bit for each feature that code for version 1 does
/// not know.
///
/// ```
/// header   bits of the file, as long as it exists
/// roots    bits of a version: the writer that set one wrote data that needs it, and later versions keep it
/// ```
/// 1. Code that does not know all read features must not read, nor judge: a block of an unknown kind would count as
///    damage, and recovery would take an older version for the newest.
/// 2. Code that does not know all write features may read, and must not write.
enum FormatFeatures {
    /// The features that this code knows: version 1 has none.
    static let known: UInt64 = 0

    /// The reason why this code must not use such a file or version, and what to do instead; nil if there is none.
    static func refusal(read: UInt64, write: UInt64, forWriting: Bool) -> String? {
        if read & ~known != 0 { return "it uses \(named(read)), which this Freehold does not support; open it with a newer Freehold" }
        if forWriting, write & ~known != 0 {
            return "writing to it needs \(named(write)), which this Freehold does not support; open it for reading only, or with a newer Freehold"
        }
        return nil
    }

    /// The numbers of the unknown bits, as text.
    private static func named(_ features: UInt64) -> String {
        let numbers = (0..<64).filter { (features & ~known) >> UInt64($0) & 1 == 1 }
        return "feature\(numbers.count == 1 ? "" : "s") \(numbers.map(String.init).joined(separator: ", ")) of the format"
    }
}

extension Root {
    /// Throws if this version needs a feature that this code does not know.
    @inline(__always)
    func requireKnownFeatures(forWriting: Bool, _ path: @autoclosure () -> String) throws(FreeholdError) {
        if (readFeatures | (forWriting ? writeFeatures : 0)) & ~FormatFeatures.known != 0 { throw unknownFeatures(forWriting, path()) }
    }

    @inline(never)
    private func unknownFeatures(_ forWriting: Bool, _ path: String) -> FreeholdError {
        let refusal = FormatFeatures.refusal(read: readFeatures, write: writeFeatures, forWriting: forWriting)
        return FreeholdError(.unsupportedFormat, refusal ?? "", path: path)
    }
}
