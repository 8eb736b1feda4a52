import FreeholdEngine

extension Realm {
    /// A durable version of the file whose root was destroyed, by the disk or by another program; usually nil.
    ///
    /// The file then opens at the last intact version before it. The loss is reported to every program that opens the
    /// file, until `acknowledgeLostVersion()`.
    ///
    /// ```swift
    /// if let lost = realm.lostVersion { print("version \(lost) is lost; restore a backup, or go on") }
    /// ```
    public var lostVersion: UInt64? {
        guard core.enter() else { return nil }
        return (try? core.shared.database.lostVersion)?.rawValue
    }

    /// Ends the report of a lost version permanently, for all programs. Does nothing if no version is lost.
    ///
    /// - Throws: `Realm.Error`, for example if the file is open for reading only.
    public func acknowledgeLostVersion() throws {
        guard core.enter() else { return }
        do { try core.shared.database.acknowledgeLostVersion() } catch { throw RealmError(error) }
    }
}
