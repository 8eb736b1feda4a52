import FreeholdEngine

/// The classes of a realm, and what was looked up among them last.
struct RealmClasses {
    /// The program's classes, in the order of the schema; behind them unknown classes of the file.
    private(set) var all: [LiveClass] = []
    /// The classes by reference only.
    ///
    /// Safe: the realm keeps its classes as long as it exists.
    private(set) var places: [Unmanaged<LiveClass>] = []
    /// The indices of unknown classes, by name.
    var dynamicPlaces: TextMap<Int> = [:]
    /// The class that was looked up last.
    var last: LiveClass?
    /// The last class that was found in the file, by its type.
    ///
    /// Safe: as for `places`.
    var lastPresent: (type: ObjectBase.Type, live: Unmanaged<LiveClass>)?
    /// Classes by their numbers in the file, which never change.
    var numbered: [Int: LiveClass] = [:]
    /// The classes that a read-only file does not have: they have no objects. Nil until they are looked for.
    var absent: Set<ExactText>?
    /// Whether the program has objects that are identified by keys which may be reused.
    var remembersKeys = false

    mutating func add(_ live: LiveClass) {
        all.append(live)
        places.append(.passUnretained(live))
    }

    /// Discards what the classes found in the previous version.
    func forget() { for live in all { live.forget() } }
}
