/// The natural logarithm, in operations that IEEE 754 defines exactly.
///
/// The libraries of C differ in the last digit from one another, and order by a score would differ with them.
enum ExactLogarithm {
    /// The logarithm of a positive, normal number; the relative error is below 4 · 10⁻¹⁶ beyond 2, the absolute one below
    /// that within.
    static func natural(_ number: Double) -> Double {
        precondition(number.isNormal && number > 0, "a logarithm is of a positive number")
        // The significand is brought near 1, between √½ and √2, where the series of 2 artanh((m - 1) / (m + 1)) is short.
        var significand = number.significand, exponent = Double(number.exponent)
        if significand > 1.414_213_562_373_095_1 {
            significand /= 2
            exponent += 1
        }
        let ratio = (significand - 1) / (significand + 1), square = ratio * ratio
        var sum = 0.0
        for divisor in stride(from: 23.0, through: 3.0, by: -2.0) { sum = (sum + 1 / divisor) * square }
        return exponent * 0.693_147_180_559_945_3 + 2 * ratio * (1 + sum)
    }
}
