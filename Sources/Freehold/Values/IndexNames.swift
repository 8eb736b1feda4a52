public import FreeholdEngine

/// An index of places as a class declares it.
public typealias PlaceIndex = FreeholdEngine.PlaceIndex

/// An index in a collation as a class declares it.
public typealias CollationIndex = FreeholdEngine.CollationIndex
