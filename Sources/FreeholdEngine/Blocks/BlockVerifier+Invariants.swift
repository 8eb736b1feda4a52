extension BlockAccess {
    /// Asserts, before a block gets its checksum and is written, that its readers will accept it: `BlockVerifier` asks the
    /// same of it after it was read. It does nothing in builds without assertions.
    func checkBeforeWriting(_ view: BlockView, byteLength: Int) {
        assert(complaint(about: view, byteLength: byteLength) == nil,
               "a block that no reader accepts: \(complaint(about: view, byteLength: byteLength) ?? "")")
        assert((0..<view.referenceCount).allSatisfy { !view.reference($0).isPending }, "a written block refers to a pending one (5)")
    }

    private func complaint(about view: BlockView, byteLength: Int) -> String? {
        BlockVerifier.complaint(about: view, byteLength: byteLength) ?? verifier.takeUnretainedValue().validate(view)
    }
}
