import Platform

extension ProcessSlots {
    /// Reaps dead processes: releases their cells, their listeners and their slots.
    ///
    /// Any process may do this at any time, and may itself die at any point of it: the slot is freed last.
    /// - Parameter clear: releases everything that a token owns.
    func reap(except own: ProcessSlot, _ system: any System, clear: (_ token: UInt64) -> Void) {
        for index in 0..<count where index != own.index {
            let seen = state(index).loadInOrder()
            guard seen & 0xff != Self.free else { continue }
            let byte = LivenessByte.process(index)
            guard (try? takeDeadByte(byte)) == true else { continue }
            // First its life ends: should it not be dead but have lost its locks, it touches nothing from now on.
            let ended = (seen & ~0xff) | Self.reaping
            if state(index).replace(seen, with: ended) {
                point("reap.claimed", system)
                clear(ProcessSlot(index: index, generation: seen >> 8).token)
                _ = state(index).replace(ended, with: (seen & ~0xff) | Self.free)
                point("reap.cleared", system)
            }
            if isWritable { try? liveness.unlock(byte: byte) }  // else it goes with the descriptor
        }
    }

    /// Whether the byte's owner is dead; a process that may write then holds the byte.
    private func takeDeadByte(_ byte: Int) throws(SystemError) -> Bool {
        // Without write permission there is no exclusive lock. Two processes could then clear at once, which does no
        // harm, but a claimer's byte may be seen before it is locked, so reaping is left to others.
        guard isWritable else { return false }
        return try liveness.tryLock(byte: byte, exclusive: true)
    }
}
