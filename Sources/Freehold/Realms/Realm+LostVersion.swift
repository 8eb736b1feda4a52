import FreeholdEngine

extension Realm {
    /// The version of the file that was durable once and whose root was destroyed, by the disk or by another program; nil as a rule.
    ///
    /// The file then opens at the last version before it that is whole. Every program that opens it is told, until `acknowledgeLostVersion()`.
    ///
    /// ```swift
    /// if let lost = realm.lostVersion { print("version \(lost) is lost; restore a backup, or go on") }
    /// ```
    public var lostVersion: UInt64? {
        guard core.enter() else { return nil }
        return (try? core.shared.database.lostVersion)?.rawValue
    }

    /// Ends the report of a lost version, for all programs and for good. Does nothing if none is lost.
    ///
    /// - Throws: `Realm.Error`, as where the file is open for reading only.
    public func acknowledgeLostVersion() throws {
        guard core.enter() else { return }
        do { try core.shared.database.acknowledgeLostVersion() } catch { throw RealmError(error) }
    }
}
