/// Observing commits.
extension Realm {
    /// A change of a realm's version.
    public enum Notification: String, Sendable {
        /// The realm shows a new version, committed by itself or by others.
        case didChange = "RealmDidChangeNotification"
        /// Others have committed, and the realm still shows its old version because `autorefresh` is off; `refresh`
        /// moves it on.
        case refreshRequired = "RealmRefreshRequiredNotification"
    }

    /// The block that is called for each notification.
    public typealias NotificationBlock = (_ notification: Notification, _ realm: Realm) -> Void

    /// Calls a block after every commit of any thread or process: within a commit or refresh of this realm, otherwise
    /// at a later turn of its queue, actor or run loop. Several commits of others may be reported at once.
    ///
    /// ```swift
    /// let token = realm.observe { notification, realm in redraw(realm) }
    /// ```
    /// - Returns: a token; the block is called for as long as the token is kept.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        let token = NotificationToken()
        guard core.requireObservable(isCommitsOnly: true) else { return token }
        // The token keeps the realm, which keeps the listener.
        let listener = RealmListener { [unowned core] event in block(event == .didChange ? .didChange : .refreshRequired, Realm(core)) }
        token.begin(listener, in: core)
        return token
    }

    /// Lets an event loop of the program process the pending work of this realm, which belongs to a thread: show what
    /// others have committed, notify observers, run queued writes.
    public func attach(to loop: HostLoop) { if core.enter() { core.attach(to: loop) } }
}

/// The spelling in the first versions.
extension NotificationToken {
    /// Ends the observation.
    @available(*, deprecated, renamed: "invalidate()")
    public func stop() { invalidate() }
}
