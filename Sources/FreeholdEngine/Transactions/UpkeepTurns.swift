/// When a commit may look for storage of the file to give back: that costs a little, so not every commit does.
struct UpkeepTurns {
    private var commitsSinceCut = 0
    private var commitsSincePunch = 0
    private var canPunch = true

    /// Whether to look for storage to give back in the middle of the file: every 64th call, while holes can be punched.
    mutating func mayTryToPunch() -> Bool {
        commitsSincePunch += 1
        guard canPunch, commitsSincePunch >= 64 else { return false }
        commitsSincePunch = 0
        return true
    }

    /// Notes that the file system cannot punch holes.
    mutating func giveUpPunching() { canPunch = false }

    /// Whether this commit may look for what could be cut off the file's end: every 16th call.
    mutating func mayTryToCut() -> Bool {
        commitsSinceCut += 1
        guard commitsSinceCut >= 16 else { return false }
        commitsSinceCut = 0
        return true
    }
}
