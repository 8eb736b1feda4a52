/// Hearing of commits.
extension Realm {
    /// What became of a realm's version.
    public enum Notification: String, Sendable {
        /// It shows what was committed: by itself, or by others.
        case didChange = "RealmDidChangeNotification"
        /// Others have committed, and it goes on showing what it did, as `autorefresh` is off: until it is refreshed.
        case refreshRequired = "RealmRefreshRequiredNotification"
    }

    /// What is called for each of these.
    public typealias NotificationBlock = (_ notification: Notification, _ realm: Realm) -> Void

    /// Has a block called after every commit, of any thread or process: within a commit or refresh of this realm, else at a later turn of its
    /// queue, actor or run loop. Several commits of others may be told at once.
    ///
    /// ```swift
    /// let token = realm.observe { notification, realm in redraw(realm) }
    /// ```
    /// - Returns: what has to be kept as long as the block is to be called.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        let token = NotificationToken()
        guard core.requireObservable(isCommitsOnly: true) else { return token }
        // The token keeps the realm, which keeps the listener.
        let listener = RealmListener { [unowned core] event in block(event == .didChange ? .didChange : .refreshRequired, Realm(core)) }
        token.begin(listener, in: core)
        return token
    }

    /// Has an event loop of the program's own do what is due in this realm, which belongs to a thread: show what others have committed, call
    /// who observes, run blocks that wait to write.
    public func attach(to loop: HostLoop) { if core.enter() { core.attach(to: loop) } }
}

/// The spelling of the first versions.
extension NotificationToken {
    /// Ends it.
    @available(*, deprecated, renamed: "invalidate()")
    public func stop() { invalidate() }
}
