public import FreeholdEngine

/// An index of vectors as a class declares it.
public typealias VectorIndex = FreeholdEngine.VectorIndex
/// How the numbers of a vector are stored: as floats of four or two bytes, or as signed integers of one byte.
public typealias VectorElements = FreeholdEngine.VectorElements
/// How near two vectors are: by their angle, their product or their distance.
public typealias VectorMetric = FreeholdEngine.VectorMetric
