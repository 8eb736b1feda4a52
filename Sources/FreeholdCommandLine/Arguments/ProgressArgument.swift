import ArgumentParser

/// Whether a long piece of work says how far it is where standard error is no terminal. On a terminal it always does.
struct ProgressArgument: ParsableArguments {
    @Flag(help: "Tell the progress on standard error, a line each second, even if that is no terminal.") var progress = false

    /// A bar for the work.
    func bar(totalBytes: Int? = nil) -> ProgressBar { ProgressBar(totalBytes: totalBytes, isForced: progress) }
}
