// swift-tools-version: 6.1
import PackageDescription

/// What needs a network stack. The library and the command line do without, so they fetch and build nothing of this.
let package = Package(
    name: "FreeholdServices",
    products: [
        .executable(name: "freehold-browse", targets: ["FreeholdBrowse"]),
        .executable(name: "freehold-sync-server", targets: ["FreeholdSyncServer"]),
        .executable(name: "freehold-sync", targets: ["FreeholdSync"]),
    ],
    dependencies: [
        .package(name: "Freehold", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
    ],
    targets: [
        // What the page shows and changes, without a network.
        .target(
            name: "BrowserData",
            dependencies: [
                .product(name: "FreeholdEngine", package: "Freehold"), .product(name: "FreeholdImport", package: "Freehold"),
                .product(name: "FreeholdTools", package: "Freehold"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "BrowserDataTests",
            dependencies: ["BrowserData", .product(name: "FreeholdEngine", package: "Freehold")],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // What a sync server's requests need of its data.
        .target(
            name: "SyncBackends",
            dependencies: [.product(name: "FreeholdEngine", package: "Freehold"), .product(name: "FreeholdMerge", package: "Freehold")],
            exclude: ["README.md"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "SyncBackendsTests",
            dependencies: [
                "SyncBackends", .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdTestKits", package: "Freehold"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // A sync server's tables in PostgreSQL, without a network of its own.
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "SyncPostgres",
            dependencies: [
                "CPostgres", "SyncBackends", .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdMerge", package: "Freehold"),
            ],
            exclude: ["README.md"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // Histories and Shadows are those of Tests/Sync, on this store.
        .testTarget(
            name: "SyncPostgresTests",
            dependencies: [
                "SyncPostgres", .product(name: "FreeholdEngine", package: "Freehold"), .product(name: "FreeholdMerge", package: "Freehold"),
                .product(name: "FreeholdTestKits", package: "Freehold"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // Bodies of HTTP that are compressed.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "Gzip",
            dependencies: ["CZlib", .product(name: "FreeholdEngine", package: "Freehold")],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "GzipTests",
            dependencies: ["Gzip", .product(name: "FreeholdEngine", package: "Freehold")],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // The sync server's requests by HTTP: who may ask, and what is asked.
        .target(
            name: "SyncHTTP",
            dependencies: [
                "Gzip", "SyncBackends", "ServerKit", .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"), .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            exclude: ["README.md"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "FreeholdSyncServer",
            dependencies: [
                "SyncHTTP", "SyncPostgres", .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // What carries messages between a file and its server.
        .target(
            name: "SyncAgent",
            dependencies: [
                "CCurl", "Gzip", "SyncBackends", .product(name: "FreeholdEngine", package: "Freehold"),
                .product(name: "FreeholdMerge", package: "Freehold"),
            ],
            exclude: ["README.md"],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "FreeholdSync",
            dependencies: [
                "SyncAgent", .product(name: "FreeholdEngine", package: "Freehold"), .product(name: "FreeholdTools", package: "Freehold"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .testTarget(
            name: "SyncAgentTests",
            dependencies: ["SyncAgent", .product(name: "FreeholdEngine", package: "Freehold")],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // The page: its files become constants of the program.
        .target(
            name: "BrowserPage",
            exclude: ["Assets", "README.md"]),

        // What both HTTP servers need of a connection.
        .target(
            name: "ServerKit",
            dependencies: [.product(name: "HummingbirdCore", package: "hummingbird")],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        // The HTTP server: who may ask, and what is asked.
        .target(
            name: "BrowserServer",
            dependencies: [
                "BrowserData", "BrowserPage", "ServerKit", .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),

        .executableTarget(
            name: "FreeholdBrowse",
            dependencies: [
                "BrowserServer", .product(name: "FreeholdTools", package: "Freehold"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ])
