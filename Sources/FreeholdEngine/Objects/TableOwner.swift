/// The snapshot or write transaction that a `Table` is of: it keeps the version in place, and says how its objects may be scanned.
protocol TableOwner: AnyObject {
    /// A class in the same version.
    func table(_ name: String, withSubclasses: Bool) throws(FreeholdError) -> Table

    /// The number of threads that may scan the version at once.
    var scanThreadLimit: Int { get }

    /// The gauge of the memory that holds decrypted blocks; nil where a scan needs no window: in a plain file and in a write transaction.
    var crowding: ShadowGauge? { get }

    /// A window for a scan that keeps nothing of what it has passed; nil where `crowding` is.
    func window() -> BlockWindow?

    /// A class, read through a window.
    func state(_ main: TableState, through window: BlockWindow) -> TableState

    /// An owner of the same version for one of several threads that scan an encrypted file.
    func scanReader(amongThreads threads: Int) throws(FreeholdError) -> any TableOwner
}

extension TableOwner {
    var scanThreadLimit: Int { 1 }
    var crowding: ShadowGauge? { nil }
    func window() -> BlockWindow? { nil }
    func state(_ main: TableState, through window: BlockWindow) -> TableState { main }
    func scanReader(amongThreads threads: Int) throws(FreeholdError) -> any TableOwner { self }
}
