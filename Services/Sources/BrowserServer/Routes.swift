import BrowserData
import FreeholdEngine
import Hummingbird

/// What can be asked: the table of `Services/API.md`.
struct Routes: Sendable {
    let browser: Browser
    let access: Access
    let place: ServerPlace
    let page: Page
    let presence: Presence
    let options: ServerOptions

    typealias Context = BasicRequestContext

    /// Bytes of a request in JSON.
    static let requestLimit = 16 << 20

    func router() -> Router<Context> {
        let router = Router(context: Context.self)
        router.add(middleware: Guard(access: access, place: place))
        router.get("/") { _, _ in try page.response("index.html") }
        router.get("/:name") { _, context in try page.response(context.parameters.require("name")) }
        let api = router.group("/api")
        addFiles(to: api)
        addReading(to: api)
        addViews(to: api)
        addChanges(to: api)
        addEdits(to: api)
        api.get("/events") { request, _ in try await EventStream.response(to: request, for: tab(request), presence) }
        return router
    }

    // MARK: parts of requests

    func tab(_ request: Request) throws -> Tab { try browser.tab(Parameters(request).text("tab")) }

    func file(_ context: Context) throws -> OpenFile { try browser.file(context.parameters.require("file")) }

    func body(_ request: Request) async throws -> JSON {
        do {
            let buffer = try await request.body.collect(upTo: Self.requestLimit)
            return try JSON(parsing: buffer.readableBytesView)
        } catch let error where !(error is JSONError) && !(error is HTTPError) {
            throw Refusal(.badRequest, .malformedInput, "the request's body cannot be read: \(error)")
        }
    }

    // MARK: files and tabs

    private func addFiles(to api: RouterGroup<Context>) {
        api.post("/login") { request, _ in
            guard let token = try await body(request)["token"]?.string, let session = access.redeem(token) else {
                throw Refusal(.unauthorized, .unauthorized, "this link was used already, or is of another run; use a new one")
            }
            var response = Answer.empty
            response.headers[.setCookie] = "\(place.cookie)=\(session); Path=/; HttpOnly; SameSite=Strict"
            return response
        }
        api.get("/state") { _, _ in
            Answer.json(JSONOutput.object { output in
                output.field("write", options.isWritable)
                output.field("version", "0.1.0")
                output.field("uploadLimit", options.uploadLimit)
                browser.writeFiles(to: &output)
                output.field("recent", RecentFiles.paths)
            })
        }
        api.post("/files") { request, _ in
            guard let path = try await body(request)["path"]?.string else { throw BrowserError(.malformedInput, "'path' is missing") }
            let file = try await Blocking.run { try browser.open(path) }
            RecentFiles.note(file.path)
            var output = JSONOutput()
            file.write(to: &output)
            return Answer.json(output.bytes)
        }
        api.delete("/files/:file") { _, context in
            try browser.close(file(context).identifier)
            return Answer.empty
        }
        api.post("/tab") { request, _ in
            let body = try await body(request), tab = try browser.tab(body["tab"]?.string ?? "")
            let watched = try (body["watch"]?.elements ?? []).prefix(64).map(watchedItem)
            let isVisible = body["visible"]?.bool ?? true, isPaused = body["paused"]?.bool ?? false
            try await tab.answer { try $0.show(isVisible: isVisible, isPaused: isPaused, watched: watched) }
            return Answer.empty
        }
        api.post("/tab/close") { request, _ in
            browser.closeTab(try await body(request)["tab"]?.string ?? "")
            return Answer.empty
        }
    }

    private func watchedItem(_ item: JSON) throws -> WatchedItem {
        guard let name = item["id"]?.string, let file = item["file"]?.string, let className = item["class"]?.string else {
            throw BrowserError(.malformedInput, "a watched item needs 'id', 'file' and 'class'")
        }
        if let query = item["query"]?.string { return WatchedItem(name, try browser.file(file), className, .query(query)) }
        guard let key = item["key"]?.string.flatMap({ Int64($0) }) else {
            throw BrowserError(.malformedInput, "a watched item needs 'key' or 'query'")
        }
        return WatchedItem(name, try browser.file(file), className, .object(ObjectKey(key), property: item["property"]?.string))
    }

    // MARK: reading

    /// Adds a request that is answered with JSON read from the file, at the version of the tab's views if a tab asks.
    private func read(
        _ api: RouterGroup<Context>, _ name: String, _ body: @escaping @Sendable (Snapshot, Parameters, OpenFile) throws -> [UInt8]
    ) {
        api.get("/files/:file/\(name)") { request, context in
            let file = try file(context), parameters = Parameters(request)
            if parameters.optional("tab") != nil {
                let tab = try tab(request)
                return Answer.json(try await tab.answer { tab in try tab.read(file) { try body($0, parameters, file) } })
            }
            return Answer.json(try await Blocking.run {
                let snapshot = try file.database.snapshot()
                defer { snapshot.end() }
                return try body(snapshot, parameters, file)
            })
        }
    }

    private func addReading(to api: RouterGroup<Context>) {
        read(api, "schema") { snapshot, _, file in try SchemaReading.json(snapshot, of: file) }
        read(api, "object") { snapshot, asked, _ in try ObjectReading(asked.key(), of: asked.text("class"), snapshot).object() }
        read(api, "elements") { snapshot, asked, _ in
            try ObjectReading(asked.key(), of: asked.text("class"), snapshot)
                .elements(asked.text("property"), asked.path(), asked.number("from", default: 0), asked.number("count", default: 100))
        }
        read(api, "backlinks") { snapshot, asked, _ in
            try ObjectReading(asked.key(), of: asked.text("class"), snapshot)
                .backlinks(
                    from: asked.text("fromClass"), asked.text("property"),
                    asked.number("from", default: 0), asked.number("count", default: 100))
        }
        read(api, "text") { snapshot, asked, _ in
            try ObjectReading(asked.key(), of: asked.text("class"), snapshot)
                .text(asked.text("property"), from: asked.number("from", default: 0), count: asked.number("length", default: 64 << 10))
        }
        read(api, "find") { snapshot, asked, _ in
            try ClassReading(asked.text("class"), snapshot).find(asked.optional("text") ?? "", asked.number("limit", default: 20))
        }
        read(api, "values") { snapshot, asked, _ in
            try ClassReading(asked.text("class"), snapshot)
                .values(asked.text("property"), asked.optional("prefix") ?? "", asked.number("limit", default: 20))
        }
        read(api, "explain") { snapshot, asked, _ in
            let isRunning = ["1", "true"].contains(asked.optional("run"))
            return try ClassReading(asked.text("class"), snapshot).explanation(asked.optional("query") ?? "", running: isRunning)
        }
        read(api, "profile") { snapshot, asked, _ in
            try ColumnProfile(asked.optional("query") ?? "", of: asked.text("class"), asked.text("property"), snapshot).json()
        }
        read(api, "picture") { snapshot, _, _ in try SchemaReading.picture(snapshot) }
        read(api, "models") { snapshot, asked, _ in try SchemaReading.models(asked.text("language"), snapshot) }
        read(api, "snippet") { snapshot, asked, file in
            try SchemaReading.snippet(asked.text("language"), asked.optional("query") ?? "", of: asked.text("class"), file, snapshot)
        }
        read(api, "sizes") { snapshot, _, _ in try SpaceReading.json(snapshot) }
        read(api, "information") { _, _, file in try FileInformation.json(file) }
        api.get("/files/:file/data") { request, context in
            try await Downloads.value(file(context), Parameters(request))
        }
        api.get("/files/:file/export") { request, context in
            let asked = Parameters(request)
            let export = try Export(file(context), asked.text("class"), asked.optional("query") ?? "", asked.text("format"))
            return try await Downloads.export(export)
        }
    }

    // MARK: views

    private func addViews(to api: RouterGroup<Context>) {
        api.post("/files/:file/views") { request, context in
            let body = try await body(request), tab = try browser.tab(body["tab"]?.string ?? ""), file = try file(context)
            guard let className = body["class"]?.string else { throw BrowserError(.malformedInput, "'class' is missing") }
            let query = body["query"]?.string ?? "", section = body["section"]?.string
            return Answer.json(try await tab.answer { try $0.openView(file, query, of: className, section: section) })
        }
        api.get("/views/:view/rows") { request, context in
            let name = try context.parameters.require("view"), asked = Parameters(request)
            let from = try asked.number("from", default: 0), count = try asked.number("count", default: 100)
            return Answer.json(try await tab(request).answer { try $0.rows(name, from: from, count: count) })
        }
        api.get("/views/:view/position") { request, context in
            let name = try context.parameters.require("view"), key = try Parameters(request).key()
            return Answer.json(try await tab(request).answer { try $0.position(name, of: key) })
        }
        api.delete("/views/:view") { request, context in
            let name = try context.parameters.require("view")
            try await tab(request).answer { $0.closeView(name) }
            return Answer.empty
        }
    }
}
