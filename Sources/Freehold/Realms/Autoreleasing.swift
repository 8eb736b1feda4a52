// Allowed: a function of the library that Apple's systems have themselves; nothing below could hide the difference.
#if !canImport(ObjectiveC)
    /// Runs a block. Where there is no Objective-C nothing waits for a pool to be drained: what a block lets go of goes at once. So programs
    /// that were written for Apple's systems need not leave the pools out.
    public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
#endif
