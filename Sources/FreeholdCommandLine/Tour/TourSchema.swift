import FreeholdEngine

/// The classes of the tour's database.
///
/// Packages, their sections and dependencies come from the machine's list. Every writer during the tour "installs"
/// packages: one commit adds an `Install`, increments the package's `installs` and increments the tally. So in every
/// snapshot three numbers must agree: the tally, the count of installs, and the sum over all packages.
enum TourSchema {
    static let section = ClassSchema("Section", primaryKey: "name", [PropertySchema("name", .string)])

    static let package = ClassSchema("Package", primaryKey: "name", [
        PropertySchema("name", .string), PropertySchema("version", .string), PropertySchema("architecture", .string),
        PropertySchema("summary", .string), PropertySchema("kilobytes", .int), PropertySchema("installs", .int),
        PropertySchema("section", linkTo: "Section"),
    ])

    static let dependency = ClassSchema("Dependency", [
        PropertySchema("package", linkTo: "Package"), PropertySchema("needs", linkTo: "Package"),
    ])

    static let install = ClassSchema("Install", [
        PropertySchema("writer", .int), PropertySchema("number", .int), PropertySchema("package", linkTo: "Package"),
    ])

    /// A single object: the number of installs, and the time at which the last one's commit began (nanoseconds of the
    /// boot clock).
    static let tally = ClassSchema("Tally", primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("installs", .int), PropertySchema("began", .int),
    ])

    static let all = [section, package, dependency, install, tally]
    static let tallyKey = ObjectKey(1)
}
