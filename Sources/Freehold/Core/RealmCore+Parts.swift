import FreeholdEngine

/// What others ask the parts of a realm for.
extension RealmCore {
    // MARK: Version
    var epoch: UInt64 { version.epoch }
    var changes: UInt64 { version.changes }
    var generation: UInt8 { version.generation }
    var readGeneration: UInt8 { version.readGeneration }
    var seen: UInt32 { version.seen }
    var fieldsThread: UInt { version.fieldsThread }
    var snapshotVersion: Version? { version.snapshot?.version }

    // MARK: Writing
    var transaction: WriteTransaction? { writing.transaction }
    var writeNumber: UInt32 { writing.number }
    var changesBeforeWriting: UInt64 { writing.changesBefore }
    /// Whether an operation of the write transaction under way was refused, so that it cannot be committed.
    var isRefused: Bool { writing.refused != nil }

    var outcome: WriteOutcome? {
        get { writing.outcome }
        set { writing.outcome = newValue }
    }

    var hold: WriteHold? {
        get { writing.hold }
        set { writing.hold = newValue }
    }

    var asynchronous: AsynchronousWriting? {
        get { writing.asynchronous }
        set { writing.asynchronous = newValue }
    }

    // MARK: Classes
    var classes: [LiveClass] { known.all }

    // MARK: Listening
    var followed: UInt64? {
        get { listening.followed }
        set { listening.followed = newValue }
    }

    var scheduler: Scheduler? {
        get { listening.scheduler }
        set { listening.scheduler = newValue }
    }

    var hearsOthers: Bool {
        get { listening.hearsOthers }
        set { listening.hearsOthers = newValue }
    }

    var hearsOthersByWish: Bool? {
        get { listening.hearsOthersByWish }
        set { listening.hearsOthersByWish = newValue }
    }

    var observers: RealmObservers? {
        get { listening.observers }
        set { listening.observers = newValue }
    }
}
