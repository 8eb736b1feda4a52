import FreeholdEngine

/// The operations that a tab wants to be applied together, and the schema that it knew when it composed them.
///
/// ```swift
/// let request = try EditRequest(try JSON(parsing: body))
/// let outcome = try editor.commit(request)
/// ```
public struct EditRequest: Sendable {
    /// The stamp of the schema that the tab knew; see ``SchemaStamp``.
    public let stamp: String
    /// What the preview showed; a commit that would do something else is refused. Nil if there is nothing to compare
    /// with.
    public let expected: Expectation?
    let operations: [EditOperation]

    /// The numbers of a preview.
    public struct Expectation: Sendable, Equatable {
        /// Objects changed, created and deleted.
        public let objects, inserted, deleted: Int
    }

    /// The maximum number of operations in one request.
    public static let maximumOperations = 20_000

    /// Decodes a request: `{tab, stamp, operations, expected?}`. Members that are none of the editor's (`tab`) are left
    /// to the caller.
    ///
    /// - Throws: `.malformedInput`, whose message names the operation by its number, from 0.
    public init(_ json: JSON) throws(FreeholdError) {
        do throws(RequestMistake) {
            let form = try RequestObject(json, "the request")
            stamp = try form.text("stamp")
            expected = try form.has("expected") ? Expectation(try form.object("expected")) : nil
            let operations = try form.array("operations")
            guard operations.count <= Self.maximumOperations else {
                throw RequestMistake("a request has at most \(Self.maximumOperations) operations; this one has \(operations.count)")
            }
            self.operations = try EditRequest.decoded(operations)
        } catch {
            throw FreeholdError(.malformedInput, error.message)
        }
    }

    private static func decoded(_ operations: [JSON]) throws(RequestMistake) -> [EditOperation] {
        var decoded: [EditOperation] = []
        for (number, operation) in operations.enumerated() {
            do throws(RequestMistake) {
                decoded.append(try EditOperation(operation, number: number))
            } catch {
                throw RequestMistake("operation \(number): \(error.message)")
            }
        }
        return decoded
    }
}

extension EditRequest.Expectation {
    init(_ form: RequestObject) throws(RequestMistake) {
        objects = try form.position("objects")
        inserted = try form.position("inserted")
        deleted = try form.position("deleted")
        try form.requireNothingElse()
    }
}
