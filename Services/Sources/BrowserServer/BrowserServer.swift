import BrowserData
import FreeholdEngine
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServerKit
import ServiceLifecycle

/// How the server is reached and when it ends.
public struct ServerOptions: Sendable {
    /// The port on 127.0.0.1; 0 for one that is free.
    public var port = 0
    /// A path for a Unix socket instead.
    public var socket: String?
    public var isWritable = false
    public var encryptionKey: EncryptionKey?
    /// Seconds after the last page was closed; nil to stay.
    public var idleSeconds: Int? = 60
    /// Bytes of an upload.
    public var uploadLimit = 1 << 30
    /// A folder with the page's files, while they are developed.
    public var pageFolder: String?

    public init() {}
}

/// The HTTP server of the page.
public final class BrowserServer: Sendable {
    public let browser: Browser
    private let options: ServerOptions
    private let access = Access()
    private let presence = Presence()

    private static let connectionLimit = 128

    public init(_ options: ServerOptions) {
        self.options = options
        var own = Browser.Options()
        own.isWritable = options.isWritable
        own.encryptionKey = options.encryptionKey
        browser = Browser(own)
    }

    /// Opens a file before the server starts.
    public func open(_ path: String) throws -> OpenFile {
        let file = try browser.open(path)
        RecentFiles.note(file.path)
        return file
    }

    /// Serves until a signal, or until no page has been open for a while.
    ///
    /// - Parameter whenRunning: called once it can be reached, with a function that makes links.
    public func run(whenRunning: @escaping @Sendable (_ link: @escaping @Sendable () -> String) -> Void) async throws {
        let port = try Port.free(options)
        let place = ServerPlace(port: port)
        let page = Page(folder: options.pageFolder)
        let routes = Routes(browser: browser, access: access, place: place, page: page, presence: presence, options: options)
        var logger = Logger(label: "freehold-browse")
        logger.logLevel = .error
        let access = access
        let configuration = ApplicationConfiguration(
            address: options.socket.map { .unixDomainSocket(path: $0) } ?? .hostname("127.0.0.1", port: port ?? 0),
            availableConnectionsDelegate: MaximumAvailableConnections(Self.connectionLimit))
        let application = Application(
            router: routes.router(),
            server: .http1(configuration: .init(
                additionalChannelHandlers: [Deadlines()],
                httpDecoderConfiguration: .init(maxHeaderFieldSize: 40 << 10, maxHeaderListSize: 48 << 10, maxHeaderFieldCount: 100))),
            configuration: configuration,
            onServerRunning: { _ in
                let start = port.map { "http://127.0.0.1:\($0)/" } ?? "http://127.0.0.1/"
                whenRunning { "\(start)#token=\(access.makeToken())" }
            },
            logger: logger)
        // Services are told of the end in reverse order: pages are told before the server waits for them to go.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [.init(service: application)]
        if let seconds = options.idleSeconds {
            services.append(.init(service: IdleEnd(presence, .seconds(seconds)), successTerminationBehavior: .gracefullyShutdownGroup))
        }
        services.append(.init(service: Farewell(browser), successTerminationBehavior: .ignore))
        var group = ServiceGroupConfiguration(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: group).run()
    }
}

/// Tells the pages that the program ends.
struct Farewell: Service {
    private let browser: Browser

    init(_ browser: Browser) { self.browser = browser }

    func run() async throws {
        try? await gracefulShutdown()
        browser.end("the program has ended")
    }
}

/// Ends the program once no page has been connected for a while.
struct IdleEnd: Service {
    private let presence: Presence
    private let limit: Duration

    init(_ presence: Presence, _ limit: Duration) { (self.presence, self.limit) = (presence, limit) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                if let absence = presence.absence, absence > limit { return }
            }
        }
    }
}
