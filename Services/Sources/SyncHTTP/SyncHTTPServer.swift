import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import Metrics
import NIOCore
import NIOSSL
import ServerKit
import ServiceLifecycle
import SyncBackends

/// A sync server's HTTP: it keeps nothing between requests, so any number serve the same databases.
///
/// ```swift
/// let server = SyncHTTPServer(SyncServerOptions(), keys: try await TokenKeys(file: "keys.json"), tenants: SingleTenant(backend))
/// try await server.run { port in print("port \(port)") }
/// ```
public struct SyncHTTPServer: Sendable {
    private let options: SyncServerOptions
    private let keys: TokenKeys
    private let tenants: any SyncTenants
    private let logger: Logger

    public init(_ options: SyncServerOptions, keys: TokenKeys, tenants: any SyncTenants, logger: Logger) {
        (self.options, self.keys, self.tenants, self.logger) = (options, keys, tenants, logger)
    }

    /// Serves until SIGTERM or SIGINT: then pulls that wait are answered, and requests under way have some seconds.
    ///
    /// - Parameter whenRunning: called with the port once it can be reached.
    public func run(whenRunning: @escaping @Sendable (_ port: Int) -> Void) async throws {
        let metrics = options.showsMetrics ? Prometheus() : nil
        if let metrics { MetricsSystem.bootstrap(metrics) }
        let routes = SyncRoutes(
            tenants: tenants, keys: keys, budget: BodyBudget(limit: options.bodyLimit, total: options.bodyMemory),
            users: UserLimits(pushes: options.pushesOfUser, pulls: options.pullsOfUser), metrics: metrics,
            spool: options.spool, compresses: options.compresses)
        let application = Application(
            router: routes.router(), server: try transport(),
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(options.connections)),
            onServerRunning: { channel in whenRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        // Services are told of the end in reverse order: waiting pulls are answered before the server waits for them.
        var group = ServiceGroupConfiguration(
            services: [.init(service: application), .init(service: Farewell(tenants), successTerminationBehavior: .ignore)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(options.endSeconds)
        try await ServiceGroup(configuration: group).run()
    }

    private func transport() throws -> HTTPServerBuilder {
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [Deadlines()],
            httpDecoderConfiguration: .init(maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 24 << 10, maxHeaderFieldCount: 100))
        guard let tls = options.tls else { return .http1(configuration: channel) }
        let certificates = try NIOSSLCertificate.fromPEMFile(tls.certificates).map { NIOSSLCertificateSource.certificate($0) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates, privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        return try .http2Upgrade(
            tlsConfiguration: configuration, configuration: .init(idleTimeout: .seconds(90), streamConfiguration: channel))
    }
}

/// How a server is reached, and what it takes.
public struct SyncServerOptions: Sendable {
    /// Files in PEM.
    public struct TLS: Sendable {
        public var certificates: String
        public var key: String
        public init(certificates: String, key: String) { (self.certificates, self.key) = (certificates, key) }
    }

    public var host = "127.0.0.1"
    /// 0 for one that is free.
    public var port = 8080
    /// Nil for plain HTTP: behind a proxy that has TLS.
    public var tls: TLS?
    public var connections = 20_000
    /// Bytes of one body, and of all that are read at once.
    public var bodyLimit = 64 << 20
    public var bodyMemory = 256 << 20
    /// Requests of one user at once.
    public var pushesOfUser = 16
    public var pullsOfUser = 256
    /// What the backends keep answers in that clients take slowly: its size is one of the metrics.
    public var spool: AnswerSpool?
    /// Whether `/metrics` is there, for everybody who reaches the server.
    public var showsMetrics = false
    /// Whether answers are compressed for those who take that. Without TLS in between, or where users who do not trust each other see
    /// each other's objects, the length of an answer may tell what is in it.
    public var compresses = true
    /// Seconds that requests have at the end.
    public var endSeconds = 10

    public init() {}
}

/// Answers pulls that wait when the server ends.
private struct Farewell: Service {
    private let tenants: any SyncTenants

    init(_ tenants: any SyncTenants) { self.tenants = tenants }

    func run() async throws {
        try? await gracefulShutdown()
        for backend in tenants.all { backend.stopWaiting() }
    }
}
