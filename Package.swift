// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

/// Named points (where crash tests kill or interleave a process) exist in debug builds only.
let engineSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .define("FREEHOLD_POINTS", .when(configuration: .debug)),
]

let package = Package(
    name: "Freehold",
    products: [
        .executable(name: "freehold", targets: ["FreeholdCommandLine"]),
        .library(name: "Freehold", targets: ["Freehold"]),
        .library(name: "FreeholdEngine", targets: ["FreeholdEngine"]),
        .library(name: "FreeholdImport", targets: ["FreeholdImport"]),
        // What a server needs to merge what devices push.
        .library(name: "FreeholdMerge", targets: ["FreeholdMerge"]),
        // What the command line and the browser share.
        .library(name: "FreeholdTools", targets: ["FreeholdTools"]),
        // What tests of the services have in common with those here.
        .library(name: "FreeholdTestKits", targets: ["TestKit", "DatabaseKit"]),
        // The library for C and whatever calls C; CMakeLists.txt makes libfreehold.so of it.
        .library(name: "freehold-c", type: .dynamic, targets: ["FreeholdC"]),
        // The same as an archive of objects; cmake/static-library.sh makes libfreehold.a of it.
        .library(name: "freehold-c-objects", type: .static, targets: ["FreeholdC"]),
        // What tools/sync-demo builds together with the services: of other packages' programs only products are found.
        .executable(name: "ExampleStall", targets: ["ExampleStall"]),
    ],
    traits: [
        .trait(name: "OldModels", description: "@PersistedMembers, for models with plain `dynamic var` properties; builds swift-syntax."),
    ],
    dependencies: [
        // Under the trait OldModels only; not fetched without it.
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1"),
        // For the command line only.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        .target(
            name: "CShims"),

        .target(
            name: "Platform",
            dependencies: ["CShims"],
            exclude: ["README.md"],
            swiftSettings: engineSettings),

        .target(
            name: "TestKit",
            dependencies: ["CShims", "Platform"],
            exclude: ["README.md"],
            swiftSettings: engineSettings),

        .target(
            name: "FreeholdEngine",
            dependencies: ["CShims", "Platform"],
            exclude: [
                "layers.txt", "Bytes/README.md", "Leaves/README.md", "Space/README.md", "File/README.md", "Encryption/README.md",
                "Sharing/README.md", "Indexes/README.md", "Blocks/README.md", "Checking/README.md", "Clients/README.md", "Database/README.md",
                "Errors/README.md", "Schema/README.md", "Objects/README.md", "Changes/README.md", "Salvage/README.md", "Tables/README.md",
                "Transactions/README.md", "Derived/README.md",
                "Values/README.md", "Collections/README.md", "Language/README.md", "Text/README.md",
                "TextIndex/README.md", "Places/README.md", "Collation/README.md", "Vectors/README.md",
                "Queries/README.md", "Sorting/README.md", "LiveResults/README.md", "SyncValues/README.md",
                "SyncMessages/README.md", "SyncCapture/README.md", "SyncReplica/README.md",
            ],
            swiftSettings: engineSettings),

        // A server's side of sync. No other library depends on it.
        .target(
            name: "FreeholdMerge",
            dependencies: ["FreeholdEngine"],
            exclude: [
                "layers.txt", "Positions/README.md", "Rows/README.md", "Storing/README.md", "Merging/README.md", "Answering/README.md",
                "Serving/README.md", "Rules/README.md",
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "SyncTests",
            dependencies: ["DatabaseKit", "FreeholdEngine", "FreeholdMerge", "TestKit"],
            path: "Tests/Sync",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "EngineTests",
            dependencies: ["FreeholdEngine", "Platform", "TestKit"],
            path: "Tests/Engine",
            sources: [
                "Blocks", "Bytes", "Text", "Places", "Collation", "Values", "Leaves", "Schema", "Tables", "Sorting/SorterTests.swift",
                "SyncValues", "SyncMessages",
            ],
            swiftSettings: engineSettings),

        .macro(
            name: "FreeholdMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax", condition: .when(traits: ["OldModels"])),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax", condition: .when(traits: ["OldModels"])),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // The Swift interface: live objects.
        .target(
            name: "Freehold",
            dependencies: [
                "CShims", "FreeholdEngine", "FreeholdImport", "Platform", .target(name: "FreeholdMacros", condition: .when(traits: ["OldModels"])),
            ],
            exclude: [
                "layers.txt", "Projections/README.md", "Queries/README.md", "Observing/README.md", "Realms/README.md", "Migrations/README.md", "Dynamic/README.md", "Collections/README.md", "Objects/README.md", "Storing/README.md", "Core/README.md", "Models/README.md", "Fields/README.md", "Confinement/README.md", "Values/README.md",
                "Errors/README.md",
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "ObjectTests",
            dependencies: ["Freehold", "FreeholdEngine", "FreeholdMerge", "Platform", "TestKit"],
            path: "Tests/Swift/Objects",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // What a program sees that imports the library alone: operators and names that only the engine's module has are none of it.
        .testTarget(
            name: "ImportOnlyTests",
            dependencies: ["Freehold"],
            path: "Tests/Swift/ImportOnly",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // The Swift examples, a program each. Their tests run them as they stand, and do not depend on them: what a test target
        // depends on is linked into the tests, where every class of the program is found.
        .executableTarget(
            name: "ExampleToDoList",
            dependencies: ["Freehold"],
            path: "Examples/swift",
            sources: ["ToDoList.swift"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "ExampleAddressBook",
            dependencies: ["Freehold"],
            path: "Examples/swift",
            sources: ["AddressBook.swift"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "ExampleJSONImport",
            dependencies: ["Freehold"],
            path: "Examples/swift",
            sources: ["JSONImport.swift"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "ExampleRequestServer",
            dependencies: ["Freehold"],
            path: "Examples/swift",
            sources: ["RequestServer.swift"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // With its sisters in C and Python, and what runs all three at synced files.
        .executableTarget(
            name: "ExampleStall",
            dependencies: ["Freehold"],
            path: "Examples/sync",
            exclude: ["demo.py", "stall.c", "stall.py"],
            sources: ["Stall.swift"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "ExampleTests",
            dependencies: ["TestKit"],
            path: "Tests/Swift/Examples",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "PlatformHelper",
            dependencies: ["Platform"],
            path: "Tests/Helpers/PlatformHelper",
            swiftSettings: engineSettings),

        .testTarget(
            name: "PlatformTests",
            dependencies: ["CShims", "Platform", "TestKit", "PlatformHelper"],
            path: "Tests/Engine/Platform",
            swiftSettings: engineSettings),

        // The C header, hand-written: what FreeholdC implements and is checked against.
        .systemLibrary(
            name: "CFreehold",
            path: "include"),

        .target(
            name: "FreeholdC",
            dependencies: ["CFreehold", "CShims", "FreeholdEngine", "FreeholdImport", "Platform"],
            exclude: ["README.md"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // The C interface's test program; CMakeLists.txt builds the same files against libfreehold.so.
        .executableTarget(
            name: "CClient",
            dependencies: ["FreeholdC"],
            path: "Tests/Interfaces/CClient",
            cSettings: [.headerSearchPath("../../../include")]),

        .executableTarget(
            name: "CExampleObjects",
            dependencies: ["FreeholdC"],
            path: "Examples/c",
            sources: ["objects.c"],
            cSettings: [.headerSearchPath("../../include")]),

        .executableTarget(
            name: "CExampleFollow",
            dependencies: ["FreeholdC"],
            path: "Examples/c",
            sources: ["follow.c"],
            cSettings: [.headerSearchPath("../../include")]),

        .testTarget(
            name: "CInterfaceTests",
            dependencies: ["CFreehold", "FreeholdC", "FreeholdEngine", "TestKit", "CClient", "CExampleObjects", "CExampleFollow"],
            path: "Tests/Interfaces/C"),

        .target(
            name: "FreeholdImport",
            dependencies: ["FreeholdEngine", "Platform"],
            exclude: [
                "layers.txt", "Loading/README.md", "Inference/README.md", "Readers/README.md", "Records/README.md", "Text/README.md",
                "Archives/README.md", "CoreData/README.md", "Input/README.md", "RealmFiles/README.md", "SQLiteFiles/README.md",
                "SQLiteStores/README.md", "SourceOpening/README.md", "StoreLoading/README.md", "Stores/README.md",
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "ImportTests",
            dependencies: ["FreeholdImport", "TestKit"],
            path: "Tests/Interfaces/Import",
            exclude: [
                "RealmSamples", "SQLite/make_databases.py", "SQLite/make_small.py", "SQLite/write_ahead_log.py",
                "CoreData/core_data_model.py", "CoreData/core_data_store.py",
                "CoreData/damaged_stores.py", "CoreData/keyed_archive.py", "CoreData/make_archives.py", "CoreData/make_store.py",
                "CoreData/odd_store.py", "CoreData/random_stores.py", "CoreData/store_dump.py",
            ]),

        .target(
            name: "FreeholdTools",
            dependencies: ["FreeholdEngine", "FreeholdImport"],
            exclude: [
                "layers.txt", "CodeGeneration/README.md", "Diagram/README.md", "Export/README.md", "Keys/README.md", "Text/README.md",
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "FreeholdCommandLine",
            dependencies: [
                "FreeholdEngine", "FreeholdImport", "FreeholdTools",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: [
                "layers.txt", "Program/README.md", "Tour/README.md", "Verbs/README.md", "Watching/README.md", "Arguments/README.md",
                "SQL/README.md", "Terminal/README.md",
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "FreeholdCommandLine", "FreeholdC", "FreeholdEngine", "FreeholdImport", "FreeholdTools", "TestKit", "DatabaseKit",
            ],
            path: "Tests/Interfaces/CommandLine"),

        // Models that `freehold schema --format swift` printed. Its tests run it, and do not depend on it, as for the examples.
        .executableTarget(
            name: "ModelHelper",
            dependencies: ["Freehold"],
            path: "Tests/Helpers/ModelHelper",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // Blocks in a file that is memory.
        .target(
            name: "BlockKit",
            dependencies: ["CShims", "FreeholdEngine"],
            path: "Tests/Kits/BlockKit",
            swiftSettings: engineSettings),

        .testTarget(
            name: "IndexTests",
            dependencies: ["CShims", "FreeholdEngine", "BlockKit", "TestKit"],
            path: "Tests/Engine/Indexes",
            swiftSettings: engineSettings),

        .testTarget(
            name: "TextIndexTests",
            dependencies: ["FreeholdEngine", "BlockKit", "TestKit"],
            path: "Tests/Engine/TextIndex",
            swiftSettings: engineSettings),

        .testTarget(
            name: "StyleTests",
            dependencies: ["Freehold"],
            path: "Tests/Style"),

        .testTarget(
            name: "SpaceTests",
            dependencies: ["CShims", "FreeholdEngine", "BlockKit", "TestKit"],
            path: "Tests/Engine/Space",
            swiftSettings: engineSettings),

        .target(
            name: "SharingKit",
            dependencies: ["FreeholdEngine", "Platform", "CShims"],
            path: "Tests/Kits/SharingKit",
            swiftSettings: engineSettings),

        .executableTarget(
            name: "SharingHelper",
            dependencies: ["SharingKit"],
            path: "Tests/Helpers/SharingHelper",
            swiftSettings: engineSettings),

        .testTarget(
            name: "SharingTests",
            dependencies: ["FreeholdEngine", "Platform", "CShims", "TestKit", "SharingKit", "SharingHelper"],
            path: "Tests/Engine/Sharing",
            swiftSettings: engineSettings),

        .target(
            name: "DatabaseKit",
            dependencies: ["FreeholdEngine", "TestKit"],
            path: "Tests/Kits/DatabaseKit",
            swiftSettings: engineSettings),

        // A server in memory, for tests of files in several languages.
        .executableTarget(
            name: "SyncServerHelper",
            dependencies: ["FreeholdEngine", "FreeholdMerge"],
            path: "Tests/Helpers/SyncServerHelper",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "LiveHelper",
            dependencies: ["FreeholdEngine", "TestKit", "DatabaseKit"],
            path: "Tests/Helpers/LiveHelper",
            swiftSettings: engineSettings),

        .testTarget(
            name: "DatabaseTests",
            dependencies: ["FreeholdEngine", "Platform", "TestKit", "DatabaseKit", "LiveHelper"],
            path: "Tests/Engine",
            sources: [
                "Clients", "Database", "Derived", "Encryption", "Salvage", "LiveResults", "Changes", "Objects", "Transactions", "Sync",
                "Sorting/SortingTests.swift",
            ],
            swiftSettings: engineSettings),

        // Files of the settled format, and refusals of others.
        .testTarget(
            name: "GoldenTests",
            dependencies: ["FreeholdEngine", "Platform", "TestKit", "DatabaseKit"],
            path: "Tests/Engine/Format",
            exclude: ["README.md", "Files"],
            swiftSettings: engineSettings),

        .testTarget(
            name: "CollectionTests",
            dependencies: ["FreeholdEngine", "TestKit", "DatabaseKit"],
            path: "Tests/Engine/Collections",
            swiftSettings: engineSettings),

        .testTarget(
            name: "QueryTests",
            dependencies: ["FreeholdEngine", "Platform", "TestKit", "DatabaseKit"],
            path: "Tests/Engine/Queries",
            exclude: ["Files"],
            swiftSettings: engineSettings),

        .testTarget(
            name: "CrashTests",
            dependencies: ["CShims", "Platform", "FreeholdEngine", "TestKit", "DatabaseKit"],
            path: "Tests/Processes/Crashes",
            swiftSettings: engineSettings),

        .target(
            name: "ContractKit",
            dependencies: ["FreeholdEngine", "Platform", "TestKit"],
            path: "Tests/Kits/ContractKit",
            swiftSettings: engineSettings),

        .executableTarget(
            name: "ContractHelper",
            dependencies: ["ContractKit", "Platform"],
            path: "Tests/Helpers/ContractHelper",
            swiftSettings: engineSettings),

        .testTarget(
            name: "ContractTests",
            dependencies: ["FreeholdEngine", "Platform", "TestKit", "ContractKit", "ContractHelper"],
            path: "Tests/Processes/Contract",
            swiftSettings: engineSettings),

        .executableTarget(
            name: "FuzzHelper",
            dependencies: ["CShims", "Platform", "FreeholdEngine", "TestKit", "DatabaseKit"],
            path: "Tests/Helpers/FuzzHelper",
            swiftSettings: engineSettings),

        // The Swift program of the bank that four languages keep in one file. Tests/Processes/FourLanguages has the others, and what runs them.
        .executableTarget(
            name: "FourLanguagesMember",
            dependencies: ["Freehold"],
            path: "Tests/Processes/FourLanguages/swift",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // The Swift program of the torture. Tests/Processes/Torture has the others, and tools/torture what runs them.
        .executableTarget(
            name: "TortureMember",
            dependencies: ["Freehold"],
            path: "Tests/Processes/Torture/swift",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // Of its own, so that the optimised build needs no more of the object tests.
        .testTarget(
            name: "CodeTests",
            dependencies: ["Freehold"],
            path: "Tests/Swift/MachineCode",
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "FuzzTests",
            dependencies: ["TestKit", "FuzzHelper"],
            path: "Tests/Processes/Fuzzing",
            swiftSettings: engineSettings),

    ]
)

// What a run of the tests leaves out need not be compiled: FREEHOLD_TESTS names the test targets that are wanted, `NAME` or, of a target of
// which only some files are, `NAME:FILE,FILE`; the others go with all that these do not need.
if let tests = Context.environment["FREEHOLD_TESTS"] {
    var needed: Set<String> = [], wanted: [String] = []
    for test in tests.split(separator: " ") {
        let parts = test.split(separator: ":"), name = String(parts[0])
        wanted.append(name)
        guard parts.count > 1, let target = package.targets.first(where: { $0.name == name }) else { continue }
        target.sources = parts[1].split(separator: ",").map(String.init)
    }
    while let name = wanted.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): wanted.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        switch product {
        case let library as Product.Library: !needed.isSuperset(of: library.targets)
        case let program as Product.Executable: !needed.isSuperset(of: program.targets)
        default: true
        }
    }
}

// A sanitizer looks at the library's code: with FREEHOLD_PLAIN_TESTS the tests' own is not optimised, which compiles it in half the time.
if Context.environment["FREEHOLD_PLAIN_TESTS"] != nil {
    for target in package.targets where target.type == .test {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
    }
}
