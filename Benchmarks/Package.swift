// swift-tools-version: 6.1
import PackageDescription

// A package of its own: Freehold is used here from outside, as by anyone else.
let package = Package(
    name: "FreeholdBenchmarks",
    products: [
        .executable(name: "freehold-bench", targets: ["FreeholdBench"]),
        .executable(name: "freehold-object-bench", targets: ["ObjectBench"]),
    ],
    dependencies: [.package(name: "Freehold", path: "..")],
    targets: [
        .executableTarget(
            name: "FreeholdBench",
            dependencies: [.product(name: "FreeholdEngine", package: "Freehold"), .product(name: "FreeholdMerge", package: "Freehold")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // Live objects, as a program with models of its own has them.
        .executableTarget(
            name: "ObjectBench",
            dependencies: [.product(name: "Freehold", package: "Freehold")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)

// A program with a thousand classes, which `many-classes` writes and takes its time to compile.
if Context.environment["FREEHOLD_MANY_CLASSES"] != nil {
    package.products.append(.executable(name: "freehold-many-classes", targets: ["ManyClasses"]))
    package.targets.append(.executableTarget(
        name: "ManyClasses",
        dependencies: [.product(name: "Freehold", package: "Freehold")],
        path: "Sources/ManyClasses",
        swiftSettings: [.swiftLanguageMode(.v5)]))
}
