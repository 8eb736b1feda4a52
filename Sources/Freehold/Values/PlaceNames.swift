public import FreeholdEngine

/// An index of places as a class declares it.
public typealias PlaceIndex = FreeholdEngine.PlaceIndex
