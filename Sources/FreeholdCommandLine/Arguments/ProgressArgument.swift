import ArgumentParser

/// Whether a long operation reports progress if standard error is not a terminal. On a terminal it always does.
struct ProgressArgument: ParsableArguments {
    @Flag(help: "Report progress on standard error, one line a second, even if it is not a terminal.") var progress = false

    /// Creates the progress bar.
    func bar(totalBytes: Int? = nil) -> ProgressBar { ProgressBar(totalBytes: totalBytes, isForced: progress) }
}
