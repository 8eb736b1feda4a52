import Glibc

/// Helper processes: fresh starts of this program, joined to it by one shared page.
final class Children {
    let page: SharedPage
    let answers: AnswerPipe
    private let arguments: Arguments
    private let pagePath: String
    private var processes: [pid_t] = []

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        pagePath = "\(arguments.folder)/shared-\(getpid())"
        page = try SharedPage(making: pagePath)
        answers = try AnswerPipe(besideNew: pagePath)
    }

    deinit {
        page.unmap()
        answers.remove()
        unlink(pagePath)
    }

    func spawn(_ role: String, index: Int = 0) throws {
        let words = [
            "/proc/self/exe", "--child", role, "--shared", pagePath, "--n", String(arguments.count),
            "--dir", arguments.folder, "--index", String(index),
        ]
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        pointers.append(nil)
        defer { pointers.forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawn(&process, words[0], nil, nil, pointers, environ) == 0 else {
            throw BenchmarkError("cannot start a helper process")
        }
        processes.append(process)
    }

    /// Waits until every child is ready, then lets all begin.
    func start() throws {
        while page.ready.value < processes.count {
            var status: Int32 = 0
            for process in processes where waitpid(process, &status, WNOHANG) == process {
                throw BenchmarkError("a helper process ended early (status \(status))")
            }
            usleep(1000)
        }
        page.go.set(1)
    }

    /// Tells every child to stop and waits for it.
    func finish() throws {
        page.stop.set(1)
        for process in processes {
            var status: Int32 = 0
            waitpid(process, &status, 0)
            guard status == 0 else { throw BenchmarkError("a helper process failed (status \(status))") }
        }
    }
}
