@testable import FreeholdEngine

extension OpenOptions {
    /// What a simulated machine's small files can bear.
    public static var simulated: OpenOptions {
        var options = OpenOptions()
        options.reserve = 1 << 26
        options.leastReserve = 1 << 20
        return options
    }
}
