// Allowed: a library function that Apple's systems provide themselves; no layer below could hide the difference.
#if !canImport(ObjectiveC)
    /// Runs a block. Without Objective-C there is no autorelease pool to drain: objects are released at once.
    /// So programs written for Apple's systems compile unchanged.
    public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
#endif
