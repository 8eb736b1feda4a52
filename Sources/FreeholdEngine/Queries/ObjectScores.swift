/// How well objects of a table fit a query, as numbers of which a higher one is better.
protocol ObjectScores: AnyObject {
    /// The scores of objects, in any order; 0 for keys without an object.
    func scores(of keys: [ObjectKey]) throws(FreeholdError) -> [Double]

    /// What the scores of objects, in any order, do not exceed; nil if that takes as long as the scores.
    func bounds(of keys: [ObjectKey]) throws(FreeholdError) -> [Double]?

    /// The best of the objects that fit at all; nil if that takes as long as the scores of all.
    func best(_ limit: Int) throws(FreeholdError) -> [ObjectKey]?

    /// Whether bounds are the scores themselves.
    func areBoundsScores() throws(FreeholdError) -> Bool
}
