/// How a cell, or a cap, and a shape are to one another.
enum CellRelation {
    /// No place of the cell is within the shape.
    case apart
    /// The edge of the shape may go through the cell.
    case across
    /// Every place of the cell is within the shape.
    case within
}
