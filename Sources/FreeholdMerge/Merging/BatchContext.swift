import FreeholdEngine

/// What a batch says of its writer, in the numbers of the store.
struct BatchContext {
    let push: SyncPush
    let user: SyncUser
    let transaction: UInt64
    /// The server's time in milliseconds.
    let now: Int64
    /// The store's numbers of the message's replicas; the first one pushes.
    let numbers: [UInt32]
    /// The epochs of these that were applied before.
    let applied: [UInt64]
    /// The epoch that was open when the file took another identity, by the message's number.
    let openEpochs: [UInt64?]

    var writer: UInt32 { numbers[0] }

    /// Whether an entry was applied. An epoch that was open when the file was copied may hold other things in the two files: it is
    /// applied again, to the same effect. What a copy has inherited is in its first batch.
    func isApplied(_ replica: UInt32, _ epoch: UInt64, _ shortcuts: MergeShortcuts) -> Bool {
        let replica = Int(replica)
        if replica != 0, applied[0] > 0 { return true }
        return !shortcuts.contains(.appliesAgain) && epoch <= applied[replica] && openEpochs[replica] != epoch
    }

    /// An identity of the message in the numbers of the store.
    func stored(_ identity: SyncIdentity) -> SyncIdentity {
        identity == .none ? .none : SyncIdentity(replica: Int(numbers[identity.replica]), count: identity.count)
    }

    func stored(_ value: SyncValue) -> SyncValue {
        if case .embedded(let identity) = value { .embedded(stored(identity)) } else { value }
    }

    func stored(_ path: SyncPath) -> SyncPath {
        path.instance == .none ? path : SyncPath(property: path.property, instance: stored(path.instance), key: path.key)
    }
}
