/// A realm, as far as its place needs to know it: what threads, queues and commits call it for.
protocol ConfinedRealm: AnyObject, ThreadBound, SendableMetatype {
    /// Moves on to newer commits, and notifies observers. Called where the realm is used.
    func follow()
}

/// An object with parts that belong to threads, called as each of these threads ends.
protocol ThreadBound: AnyObject {
    /// Ends what belongs to a thread. Called on that thread, as it ends.
    func endThread(_ thread: UInt)
}
