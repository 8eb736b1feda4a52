public import FreeholdEngine

/// A full-text index as a class declares it.
public typealias FullTextIndex = FreeholdEngine.FullTextIndex
/// A property in a full-text index, with its weight.
public typealias FullTextField = FreeholdEngine.FullTextField
